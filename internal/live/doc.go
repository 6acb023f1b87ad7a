// Package live keeps a node's current Snapshot: it follows editions on one
// connection, swaps the snapshot in one step, and leaves a copy on disk so that a
// node can start when the database is gone.
package live
