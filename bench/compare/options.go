package main

import "regexp"

// options are what the command line asks for.
type options struct {
	plan
	only     *regexp.Regexp
	short    bool
	growth   bool
	out      string // where to write the report; "" writes none
	palmares string
	floods   bool   // measure only what floods cost
	older    string // another build of palmares to compare with
	tools    int    // the size of the catalog for floods
}
