package live

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

func liveKey(tb testing.TB, hash, id int, owner [16]byte, plan account.Plan) account.LiveKey {
	tb.Helper()
	k, err := account.NewLiveKey(account.HashOf(fmt.Sprint(hash)), fmt.Sprintf("key_%d", id), owner, plan)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// hashAlike is a key's hash. Many share a prefix, as few would by chance.
func hashAlike(i int) account.Hash {
	hash := account.HashOf(fmt.Sprint(i))
	copy(hash[:], []byte{byte(i % 100), 0, 0, 0})
	return hash
}

// ownerID is an account's. Many share a prefix, as few would by chance.
func ownerID(i int) (id [16]byte) {
	id[0], id[15] = byte(i%5), byte(i)
	return id
}

func removeKey(t *keyTable, hash account.Hash) {
	if e := t.find(&hash); e != nil {
		t.remove(e)
	}
}

func findKey(t *keyTable, hash account.Hash) (account.LiveKey, bool) {
	e := t.find(&hash)
	if e == nil {
		return account.LiveKey{}, false
	}
	return e.key(), true
}

// A table does as a map would, whatever is added, replaced and removed in whatever order,
// and uses the room of what is gone.
func TestKeyTable_IsAMap(t *testing.T) {
	t.Parallel()
	const hashes, owners, most = 900, 60, 600
	random := rand.New(rand.NewPCG(1, 2))
	table, want := newKeyTable(), map[account.Hash]account.LiveKey{}
	key := func() account.LiveKey {
		k := liveKey(t, 0, random.IntN(5), ownerID(random.IntN(owners)), account.Developer+account.Plan(random.IntN(2)))
		k.Hash = hashAlike(random.IntN(hashes))
		k.End = uint32(random.IntN(2)) // it may be set and taken back
		k.Suspended = random.IntN(2) == 0
		return k
	}
	for step := range 6_000 {
		switch k := key(); random.IntN(3) {
		case 0:
			table.add(k)
			want[k.Hash] = k
		case 1:
			removeKey(table, k.Hash)
			delete(want, k.Hash)
		case 2: // what was read anew of an account
			by := newKeyTable()
			for h, x := range want {
				if x.Account == k.Account {
					delete(want, h)
				}
			}
			for range random.IntN(8) {
				x := key()
				x.Account = k.Account
				if _, taken := want[x.Hash]; !taken { // hashes are unique
					by.add(x)
					want[x.Hash] = x
				}
			}
			table.replace(k.Account, by)
		}
		if step%97 != 0 {
			continue
		}
		owned := map[[16]byte]int{}
		for h := range hashes {
			hash := hashAlike(h)
			got, ok := findKey(table, hash)
			if x, there := want[hash]; ok != there || got != x {
				t.Fatalf("step %d: %v, %v; want %v, %v", step, got, ok, x, there)
			}
			if ok {
				owned[got.Account]++
			}
		}
		for i := range owners {
			n := 0
			table.eachOf(ownerID(i), func(*keyEntry) { n++ })
			if n != owned[ownerID(i)] {
				t.Fatalf("step %d: an account has %d keys, want %d", step, n, owned[ownerID(i)])
			}
		}
		if table.live != len(want) || table.made > most {
			t.Fatalf("step %d: %d keys in %d entries, want %d", step, table.live, table.made, len(want))
		}
	}
	for hash := range want {
		removeKey(table, hash)
	}
	if n := len(table.byHash) + len(table.alike) + len(table.byAccount); n != 0 {
		t.Errorf("without any key the maps have %d entries", n)
	}
}

func encodeKeys(tb testing.TB, k *Keys) []byte {
	tb.Helper()
	var file bytes.Buffer
	if _, err := k.encode(&file, time.Now(), nil); err != nil {
		tb.Fatal(err)
	}
	return file.Bytes()
}

func readKeys(b []byte) (*keyTable, error) {
	t, _, _, err := decodeKeys(bytes.NewReader(b), int64(len(b)))
	return t, err
}

func TestKeysCopy_RoundTrip(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 4095, 4096, 4097, 10_000} {
		var all []account.LiveKey
		for i := range n {
			k := liveKey(t, i, i, [16]byte{byte(i), byte(i >> 8)}, account.Developer+account.Plan(i%2))
			if i%3 == 0 {
				k = k.Until(time.Now())
			}
			k.Suspended = i%7 == 0
			all = append(all, k)
		}
		keys := NewKeys(KeysOptions{})
		keys.Replace(all...)
		for i := 0; i < n; i += 10 { // gaps are not written
			removeKey(keys.table, all[i].Hash)
		}
		file := encodeKeys(t, keys)
		table, err := readKeys(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range all {
			if got, ok := findKey(table, k.Hash); ok != (i%10 != 0) || ok && got != k {
				t.Fatalf("key %d of %d: %v, %v", i, n, got, ok)
			}
		}
		for _, cut := range []int{0, 10, 20, 40, len(file) / 2, len(file) - 1} {
			if _, err := readKeys(file[:cut]); err == nil {
				t.Errorf("a copy of %d bytes, cut after %d, is taken for one", len(file), cut)
			}
		}
		for range 20 {
			spoiled := slices.Clone(file)
			spoiled[rand.IntN(len(spoiled))] ^= 1 << rand.IntN(8)
			if _, err := readKeys(spoiled); err == nil {
				t.Error("a copy with another bit is taken for one")
			}
		}
	}
}

// FuzzKeysCopy reads anything as a disk copy of keys, also behind a checksum that fits.
func FuzzKeysCopy(f *testing.F) {
	keys := NewKeys(KeysOptions{})
	sleeping := liveKey(f, 3, 3, ownerID(2), account.Developer)
	sleeping.Suspended = true
	keys.Replace(liveKey(f, 1, 1, ownerID(1), account.Pro), liveKey(f, 2, 2, ownerID(1), account.Developer), sleeping)
	file := encodeKeys(f, keys)
	f.Add(file[:len(file)-32])
	f.Add([]byte("palmares keys 1\n"))
	f.Add([]byte("palmares keys 2\n"))
	f.Add([]byte("palmares keys 3\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := readKeys(b); err == nil && len(b) < 32 {
			t.Error("nothing is a copy")
		}
		table, err := readKeys(withSum(b))
		if err != nil {
			return
		}
		if table.live > len(b)/keySize1 {
			t.Errorf("%d keys in %d bytes", table.live, len(b))
		}
	})
}

// BenchmarkKeys_Find finds keys among 1,500,000, and says what those cost a collection.
func BenchmarkKeys_Find(b *testing.B) {
	const n = 1_500_000
	keys, all := NewKeys(KeysOptions{}), make([]account.LiveKey, n)
	for i := range all {
		owner := account.HashOf(fmt.Sprint("owner", i*2/3))
		all[i] = liveKey(b, i, i, [16]byte(owner[:16]), account.Developer)
	}
	hashes := make([]account.Hash, 4096) // in use
	for i := range hashes {
		hashes[i] = all[i*(n/len(hashes))].Hash
	}
	keys.Replace(all...)
	runtime.GC()
	began := time.Now()
	runtime.GC()
	collection := time.Since(began)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, held := keys.Find(hashes[i%len(hashes)]); !held {
			b.Fatal("not held")
		}
		i++
	}
	b.ReportMetric(float64(collection.Microseconds())/1000, "ms/collection")
	runtime.KeepAlive(keys)
}
