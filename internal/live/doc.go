// Package live keeps what a node answers from: its current Snapshot and all live
// keys. It follows editions on one connection and changes of access on another, swaps
// the snapshot in one step, and leaves copies on disk so that a node can start when
// the database is gone.
package live
