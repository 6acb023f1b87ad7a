package live

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/palmares-hq/palmares/internal/account"
)

// A keyTable holds live keys in blocks without pointers, so that the garbage collector need not
// look at each key. A map of pointers took twice the memory, and made a collection take a hundred
// times as long.
//
// Callers must not write while others read, with one exception: readers may set the day of a key's
// last use.
type keyTable struct {
	blocks    []*[blockSize]keyEntry
	made      uint32 // how many entries were ever used
	free      uint32 // the first entry to reuse, plus 1; 0 for none
	live      int
	byHash    keyIndex
	byAccount keyIndex // the first key of each account
}

// blockSize is how many entries are allocated at once.
const blockSize = 4096

// A keyEntry is a key, or free when it has no plan.
type keyEntry struct {
	hash    account.Hash
	id      [16]byte
	account [16]byte
	next    uint32        // the account's next key, or the next free entry, plus 1; 0 is none
	end     uint32        // when the key stops working, in seconds since 1970; 0 for no end
	state   atomic.Uint32 // the plan in the low byte, with suspendedBit; above it the day of the last use
}

// suspendedBit is set in the state of a suspended key.
const suspendedBit = 0x80

func newKeyTable() *keyTable { return &keyTable{} }

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

func hashPrefix(h *account.Hash) uint64      { return binary.LittleEndian.Uint64(h[:]) }
func accountPrefix(account *[16]byte) uint64 { return binary.LittleEndian.Uint64(account[:]) }

// find returns the entry of a key; nil if the table does not have it.
func (t *keyTable) find(hash *account.Hash) *keyEntry {
	x := &t.byHash
	if len(x.slots) == 0 {
		return nil
	}
	for s := x.first(hashPrefix(hash)); x.slots[s] != 0; s = x.after(s) {
		if e := t.at(x.slots[s] - 1); e.hash == *hash {
			return e
		}
	}
	return nil
}

// slotOf returns the slot of the account's first key in byAccount, or the free slot for it.
func (t *keyTable) slotOf(account *[16]byte) int {
	x := &t.byAccount
	s := x.first(accountPrefix(account))
	for x.slots[s] != 0 && t.at(x.slots[s]-1).account != *account {
		s = x.after(s)
	}
	return s
}

// add adds a key, and replaces one that has the same hash.
func (t *keyTable) add(k account.LiveKey) {
	if old := t.find(&k.Hash); old != nil {
		t.remove(old)
	}
	t.byHash.grow(func(i uint32) uint64 { return hashPrefix(&t.at(i).hash) })
	t.byAccount.grow(func(i uint32) uint64 { return accountPrefix(&t.at(i).account) })
	i := t.allocate()
	e := t.at(i)
	e.hash, e.id, e.account, e.end = k.Hash, k.ID, k.Account, k.End
	e.state.Store(stateOf(k))

	s := t.byHash.first(hashPrefix(&k.Hash))
	for t.byHash.slots[s] != 0 {
		s = t.byHash.after(s)
	}
	t.byHash.put(s, i)
	s = t.slotOf(&k.Account)
	e.next = t.byAccount.slots[s]
	t.byAccount.put(s, i)
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
	x := &t.byHash
	s := x.first(hashPrefix(&e.hash))
	for t.at(x.slots[s]-1) != e {
		s = x.after(s)
	}
	i := x.slots[s] - 1
	x.clear(s, func(i uint32) uint64 { return hashPrefix(&t.at(i).hash) })

	x = &t.byAccount
	s = t.slotOf(&e.account)
	switch first := x.slots[s] - 1; {
	case first != i:
		before := t.at(first)
		for before.next-1 != i {
			before = t.at(before.next - 1)
		}
		before.next = e.next
	case e.next != 0:
		x.slots[s] = e.next
	default:
		x.clear(s, func(i uint32) uint64 { return accountPrefix(&t.at(i).account) })
	}

	e.hash, e.id, e.account, e.end = account.Hash{}, [16]byte{}, [16]byte{}, 0
	e.state.Store(uint32(account.Anonymous))
	e.next, t.free = t.free, i+1
	t.live--
}

// eachOf calls visit with each key of the account. visit may remove it.
func (t *keyTable) eachOf(owner [16]byte, visit func(*keyEntry)) {
	if len(t.byAccount.slots) == 0 {
		return
	}
	for i := t.byAccount.slots[t.slotOf(&owner)]; i != 0; {
		e := t.at(i - 1)
		i = e.next
		visit(e)
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

// A keyIndex finds entries by the first 8 bytes of a hash or an account's id. It is a hash table
// that needs no hash function, because these bytes are as good as random: linear probing, at most
// three quarters full.
type keyIndex struct {
	slots []uint32 // an entry plus 1; 0 is free
	used  int
}

func (x *keyIndex) first(prefix uint64) int {
	return int(prefix & uint64(len(x.slots)-1)) //nolint:gosec // less than len
}

func (x *keyIndex) after(slot int) int { return (slot + 1) & (len(x.slots) - 1) }

// put sets a slot.
func (x *keyIndex) put(slot int, entry uint32) {
	if x.slots[slot] == 0 {
		x.used++
	}
	x.slots[slot] = entry + 1
}

// grow doubles the index if it has no room for one more entry.
func (x *keyIndex) grow(prefix func(entry uint32) uint64) {
	if 4*(x.used+1) <= 3*len(x.slots) {
		return
	}
	old := x.slots
	x.slots = make([]uint32, max(64, 2*len(old)))
	for _, i := range old {
		if i == 0 {
			continue
		}
		s := x.first(prefix(i - 1))
		for x.slots[s] != 0 {
			s = x.after(s)
		}
		x.slots[s] = i
	}
}

// clear frees a slot, and moves up the entries after it that stood there only because it was taken.
func (x *keyIndex) clear(slot int, prefix func(entry uint32) uint64) {
	x.used--
	mask := len(x.slots) - 1
	for s := x.after(slot); x.slots[s] != 0; s = x.after(s) {
		// It may move into the gap unless its first slot lies between the gap and itself.
		if first := x.first(prefix(x.slots[s] - 1)); (s-first)&mask >= (s-slot)&mask {
			x.slots[slot] = x.slots[s]
			slot = s
		}
	}
	x.slots[slot] = 0
}
