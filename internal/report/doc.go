// Package report takes what readers say is wrong in the catalog, and hands it to the operator.
//
// Begin with Service: anybody may send a report, within bounds; the operator alone reads, answers and closes
// them. Nothing that a stranger typed is ever sent by mail: the operator is told how many reports there are
// and reads them in a terminal, and a stranger's address gets the operator's own words or nothing.
package report
