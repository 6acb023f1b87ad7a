package main

import (
	"strconv"

	"github.com/palmares-hq/palmares/internal/quota"
)

// leastDays is how many days are shown even when nothing was used on them.
const leastDays = 7

// usageRows returns a row for each day, newest first, back to the oldest day with requests, and a column for
// each key.
func usageRows(r *quota.Report) [][]string {
	head := []string{"DAY", "REQUESTS"}
	for _, k := range r.Keys {
		head = append(head, k.ID)
	}
	rows := [][]string{head}
	last := leastDays
	for i, d := range r.Days {
		if d.Requests > 0 {
			last = max(last, i+1)
		}
	}
	for i, d := range r.Days[:last] {
		row := []string{d.Date, strconv.Itoa(d.Requests)}
		for _, k := range r.Keys {
			row = append(row, strconv.Itoa(k.Days[i].Requests))
		}
		rows = append(rows, row)
	}
	return rows
}
