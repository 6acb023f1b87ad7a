// Package report takes readers' reports of errors in the catalog and hands them to the operator.
//
// Begin with Service: anybody may send a report, within bounds; only the operator reads, answers and closes
// them. Nothing that a stranger typed is ever sent by mail: the mail to the operator says how many reports
// there are and lists their numbers, tools and fields, and the operator reads the texts in a terminal. A
// stranger's address gets the operator's own words or nothing.
package report
