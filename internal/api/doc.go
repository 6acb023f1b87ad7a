// Package api is the JSON interface: its routes, parameters, headers and errors,
// one file per resource. openapi.yaml beside them is the contract; it is written
// first and every response of the tests is held against it.
package api
