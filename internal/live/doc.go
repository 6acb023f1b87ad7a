// Package live keeps what a node answers from: its current Snapshot and all live
// keys. It follows editions on one connection and changes of access on another, swaps
// the snapshot in one step, and leaves copies on disk so that a node can start when
// the database is gone.
//
// Begin with Catalog and Keys. Both only read the database, and no request waits for it, but for one with a
// key that the node has never seen.
//
// Read the files in this order; each uses those before it.
//
//   - diskfile.go writes and reads a file that is always whole, with a checksum
//   - follower.go follows the database on one connection and makes it anew when it fails
//   - diskcopy.go is the disk copy of a snapshot, copier.go writes it in the background
//   - catalog.go holds the current snapshot and follows editions
//   - keytable.go holds keys in memory, keyuses.go notes their use, keyrefresh.go lets requests
//     wait for the database together
//   - keys.go holds the live keys, keyscopy.go is their disk copy, keysfollow.go follows changes
//     of access
package live
