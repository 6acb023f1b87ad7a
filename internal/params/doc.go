// Package params reads the parameters of lists from query strings, strictly: what it does not
// understand is an error that says what is allowed. The JSON interface and the pages take the same
// parameters, so that a page can show the call that gives its data.
//
// Begin with ParseTools. The package looks nothing up: whether a category exists is for its caller to
// find.
package params
