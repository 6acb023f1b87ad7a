package live

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/palmares-hq/palmares/internal/account"
)

// A keyTable holds live keys in blocks, and finds them by maps. None of them has pointers, so that the garbage
// collector need not look at each key: a map of pointers took twice the memory, and made a collection take a hundred
// times as long. The maps know keys and accounts by their first 4 bytes, because whole hashes as their keys would
// take twice the memory, too.
//
// Callers must not write while others read, with one exception: readers may set the day of a key's
// last use.
type keyTable struct {
	blocks    []*[blockSize]keyEntry
	made      uint32 // how many entries were ever used
	free      uint32 // the first entry to reuse, plus 1; 0 for none
	live      int
	byHash    map[uint32]uint32       // an entry, plus 1, by the prefix of its hash
	alike     map[account.Hash]uint32 // the same for those that came when another had their prefix
	byAccount map[uint32]uint32       // the first key of the accounts with a prefix, plus 1
}

// blockSize is how many entries are allocated at once.
const blockSize = 4096

// A keyEntry is a key, or free when it has no plan.
type keyEntry struct {
	hash    account.Hash
	id      [16]byte
	account [16]byte
	next    uint32        // the next key in byAccount, or the next free entry, plus 1; 0 is none
	end     uint32        // when the key stops working, in seconds since 1970; 0 for no end
	state   atomic.Uint32 // the plan in the low byte, with suspendedBit; above it the day of the last use
}

// suspendedBit is set in the state of a suspended key.
const suspendedBit = 0x80

func newKeyTable() *keyTable {
	return &keyTable{
		byHash: make(map[uint32]uint32), alike: make(map[account.Hash]uint32), byAccount: make(map[uint32]uint32),
	}
}

func (t *keyTable) at(i uint32) *keyEntry { return &t.blocks[i/blockSize][i%blockSize] }

func (e *keyEntry) plan() account.Plan { return account.Plan(e.state.Load() & (suspendedBit - 1)) }

func (e *keyEntry) suspended() bool { return e.state.Load()&suspendedBit != 0 }

// stateOf returns the state of a key that was never used.
func stateOf(k account.LiveKey) uint32 {
	if k.Suspended {
		return uint32(k.Plan) | suspendedBit
	}
	return uint32(k.Plan)
}

// follow copies the plan and suspendedBit of another entry, and keeps the day of the last use. Only
// one goroutine may call it.
func (e *keyEntry) follow(now *keyEntry) {
	for {
		old := e.state.Load()
		if e.state.CompareAndSwap(old, old&^0xff|now.state.Load()&0xff) {
			return
		}
	}
}

// use records that the key was used on a day, counted from 1970, and reports whether that was not
// recorded yet.
func (e *keyEntry) use(day uint32) bool {
	for {
		old := e.state.Load()
		if old>>8 == day {
			return false
		}
		if e.state.CompareAndSwap(old, old&0xff|day<<8) {
			return true
		}
	}
}

func (e *keyEntry) key() account.LiveKey {
	return account.LiveKey{Hash: e.hash, ID: e.id, Account: e.account, Plan: e.plan(), Suspended: e.suspended(), End: e.end}
}

// ended reports whether the key has stopped working, at a time in seconds since 1970.
func (e *keyEntry) ended(now int64) bool { return e.end != 0 && now >= int64(e.end) }

// prefix returns the first 4 bytes of a hash or of an account's id. Of a million keys, about a hundred find theirs taken.
func prefix(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// place returns the entry of a key, plus 1; 0 if the table does not have it.
func (t *keyTable) place(hash *account.Hash) uint32 {
	if i := t.byHash[prefix(hash[:])]; i != 0 && t.at(i-1).hash == *hash {
		return i
	}
	return t.alike[*hash]
}

// find returns the entry of a key; nil if the table does not have it.
func (t *keyTable) find(hash *account.Hash) *keyEntry {
	if i := t.place(hash); i != 0 {
		return t.at(i - 1)
	}
	return nil
}

// add adds a key, and replaces one that has the same hash.
func (t *keyTable) add(k account.LiveKey) {
	if old := t.find(&k.Hash); old != nil {
		t.remove(old)
	}
	i := t.allocate()
	e := t.at(i)
	e.hash, e.id, e.account, e.end = k.Hash, k.ID, k.Account, k.End
	e.state.Store(stateOf(k))
	if p := prefix(k.Hash[:]); t.byHash[p] == 0 {
		t.byHash[p] = i + 1
	} else {
		t.alike[k.Hash] = i + 1
	}
	owners := prefix(k.Account[:])
	e.next = t.byAccount[owners]
	t.byAccount[owners] = i + 1
	t.live++
}

func (t *keyTable) allocate() uint32 {
	if t.free != 0 {
		i := t.free - 1
		t.free = t.at(i).next
		return i
	}
	if t.made%blockSize == 0 {
		t.blocks = append(t.blocks, new([blockSize]keyEntry))
	}
	t.made++
	return t.made - 1
}

// remove removes a key and frees its entry.
func (t *keyTable) remove(e *keyEntry) {
	i := t.place(&e.hash)
	if p := prefix(e.hash[:]); t.byHash[p] == i {
		delete(t.byHash, p)
	} else {
		delete(t.alike, e.hash)
	}

	owners := prefix(e.account[:])
	switch first := t.byAccount[owners]; {
	case first != i:
		before := t.at(first - 1)
		for before.next != i {
			before = t.at(before.next - 1)
		}
		before.next = e.next
	case e.next != 0:
		t.byAccount[owners] = e.next
	default:
		delete(t.byAccount, owners)
	}

	e.hash, e.id, e.account, e.end = account.Hash{}, [16]byte{}, [16]byte{}, 0
	e.state.Store(uint32(account.Anonymous))
	e.next, t.free = t.free, i
	t.live--
}

// eachOf calls visit with each key of the account. visit may remove it.
func (t *keyTable) eachOf(owner [16]byte, visit func(*keyEntry)) {
	for i := t.byAccount[prefix(owner[:])]; i != 0; {
		e := t.at(i - 1)
		i = e.next
		if e.account == owner {
			visit(e)
		}
	}
}

// replace replaces the account's keys with those in the other table. A key in both keeps its entry,
// and so the day of its last use.
func (t *keyTable) replace(owner [16]byte, by *keyTable) {
	t.eachOf(owner, func(e *keyEntry) {
		now := by.find(&e.hash)
		if now == nil || now.account != owner || now.id != e.id {
			t.remove(e)
			return
		}
		e.follow(now)
		e.end = now.end
	})
	by.eachOf(owner, func(now *keyEntry) {
		if t.find(&now.hash) == nil {
			t.add(now.key())
		}
	})
}
