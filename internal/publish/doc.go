// Package publish turns checked content into the next edition: it tells what
// changes, refuses what looks like an accident, and prints the plan.
package publish
