package quota

import (
	"crypto/rand"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
)

// BenchmarkCharge charges 1,000 accounts on the shared Redis from many goroutines, as requests do. It
// measures a node's rate, not the time of one charge.
func BenchmarkCharge(b *testing.B) {
	n := startNodes(b, redistest.URL(b), 1, time.Second)[0]
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
