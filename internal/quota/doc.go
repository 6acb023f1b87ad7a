// Package quota holds callers to their daily quota, exactly, over all nodes. Its
// README says how.
package quota
