// Package webhook tells the endpoints of Pro accounts what changes in the catalog.
//
// The log of events is what happened; an endpoint follows it with a cursor of its own.
// Deliveries are made of it a batch at a time, when the endpoint is worked on, so
// that no publication, however large, is ever multiplied by all the endpoints at once.
// River carries the jobs, one per endpoint that has something to do; the deliveries
// table is the truth, and a sweep finds what no job is at.
//
// Endpoints is what owners and the operator do with endpoints; a Worker delivers.
package webhook
