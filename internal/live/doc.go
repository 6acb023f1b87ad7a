// Package live holds what a node serves from: its current Snapshot and all live API keys. It
// follows editions on one database connection and changes of access on another, replaces the
// snapshot in one step, and keeps copies on disk so that a node can start without the database.
//
// Begin with Catalog and Keys. A Catalog only reads the database; Keys also record which keys are
// used, and end the sessions of a restored database. No request waits for the database, except one
// whose key the node has never seen.
//
// Read the files in this order; each uses those before it.
//
//   - diskfile.go writes and reads a file that is always whole, with a checksum
//   - follower.go follows the database on one connection and reconnects when it fails
//   - diskcopy.go is the disk copy of a snapshot, copier.go writes it in the background
//   - catalog.go holds the current snapshot and follows editions
//   - keytable.go holds keys in memory, keyuses.go records their use, keyrefresh.go lets waiting
//     requests share one read of the database
//   - keys.go holds the live keys, keyscopy.go is their disk copy, keysfollow.go follows changes
//     of access
package live
