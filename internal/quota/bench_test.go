package quota

import (
	"crypto/rand"
	"log/slog"
	"math"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
)

// BenchmarkCharge charges 1,000 accounts on the shared Redis from many goroutines, as
// requests do: what it shows is a node's rate, not the time of one charge.
func BenchmarkCharge(b *testing.B) {
	n := startPatientNode(b, redistest.URL(b), time.Second)
	waitShared(b, []*node{n}, 10*time.Second)
	subjects := make([]Subject, 1_000)
	for i := range subjects {
		subjects[i] = n.Account("bench-" + rand.Text() + strconv.Itoa(i))
		subjects[i].expires = time.Now().Add(time.Minute)
	}
	b.SetParallelism(32)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			n.Charge(subjects[i%len(subjects)], math.MaxInt)
		}
	})
	b.StopTimer()
	if alone := n.local.Load(); alone > 0 {
		b.Errorf("%d charges were counted on the node alone", alone)
	}
}

func BenchmarkChargeAlone(b *testing.B) {
	m := localMeter(0)
	s := m.Account("a")
	b.ReportAllocs()
	for b.Loop() {
		m.Charge(s, math.MaxInt)
	}
}

func BenchmarkExhausted(b *testing.B) {
	m := localMeter(0)
	s := m.Account("a")
	m.Charge(s, 1)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if !m.Exhausted(s, 1) {
				b.Error("not used up")
			}
		}
	})
}

// BenchmarkEviction adds to a table that is full.
func BenchmarkEviction(b *testing.B) {
	m := New(Options{Logger: slog.New(slog.DiscardHandler)})
	reset := time.Now().Add(time.Hour)
	i := 0
	for ; i < 400_000; i++ {
		m.table.add(numbered("", i, reset), 2)
	}
	b.ReportAllocs()
	for b.Loop() {
		m.table.add(numbered("", i, reset), 2)
		i++
	}
}

func BenchmarkAddressSubject(b *testing.B) {
	secret, now := []byte(rand.Text()), time.Now()
	for name, addr := range map[string]netip.Addr{
		"IPv4": netip.MustParseAddr("192.0.2.1"), "IPv6": netip.MustParseAddr("2001:db8:1:2:3:4:5:6"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				addressSubject(secret, addr, now)
			}
		})
	}
}
