// Package jobs runs the jobs of all packages on one client of River, as long as a node runs.
//
// A package describes its jobs as a Group: what it adds to the configuration of River, whether its jobs
// may run here, what is to be swept and tidied. Begin with group.go; runner.go keeps the client of River
// going, leaves out groups whose jobs may not run, and knows whether jobs run; riverlog.go reduces River's log to a line for each outage.
//
// The package knows no kind of job and no table, and asks nothing of a group but what the group said.
package jobs
