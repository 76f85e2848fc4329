// Package demo is Ambit's first ten minutes: sample data, and an agent that does
// the main job on it over MCP and is refused what it may not do.
package demo

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

// creditG is UCI Statlog (German Credit Data), CC BY 4.0.
//
//go:embed testdata/credit-g.csv
var creditG []byte

const (
	customers = 600
	horizon   = 30 // days before the prediction moment that the label depends on
	sampleDay = "2026-01-01"
)

// table is a sample dataset.
type table struct {
	name string
	csv  []byte
}

// Sample returns the sample tables: German credit, and customers, events and
// labels made up so that the label of a customer depends on their earlier events
// and the column retention_call of labels is filled after the fact: it leaks.
// The same bytes every time.
func Sample() []table {
	g := generator{rng: rand.New(rand.NewPCG(7, 11))}
	g.make()
	return []table{{"credit", creditG}, {"customers", g.customers.bytes()}, {"events", g.events.bytes()}, {"labels", g.labels.bytes()}}
}

// generator makes up customers and what they did.
type generator struct {
	rng                       *rand.Rand
	customers, events, labels sheet
	event                     int
}

func (g *generator) make() {
	g.customers.row("customer_id", "signup", "segment", "age")
	g.events.row("event_id", "customer_id", "at", "kind", "amount")
	g.labels.row("customer_id", "moment", "retention_call", "churned")
	start, _ := time.Parse(time.DateOnly, sampleDay)
	for i := range customers {
		id := "c" + strconv.Itoa(1000+i)
		g.customers.row(id, start.AddDate(0, 0, -30-g.rng.IntN(700)).Format(time.DateOnly), []string{"home", "work", "school"}[g.rng.IntN(3)], strconv.Itoa(18+g.rng.IntN(60)))
		moment := start.AddDate(0, 0, 60+g.rng.IntN(120))
		purchases, complaints := g.history(id, start, moment)
		g.label(id, moment, purchases, complaints)
	}
}

// history makes up a customer's events, and counts those that the label depends on.
func (g *generator) history(id string, start, moment time.Time) (purchases, complaints int) {
	pace := 4 + g.rng.IntN(14)
	for day := g.rng.IntN(pace); day < 240; day += 1 + g.rng.IntN(pace) {
		at := start.AddDate(0, 0, day).Add(time.Duration(g.rng.IntN(86400)) * time.Second)
		kind, amount := "purchase", strconv.FormatFloat(5+95*g.rng.Float64(), 'f', 2, 64)
		if g.rng.Float64() < 0.2 {
			kind, amount = "complaint", ""
		}
		g.event++
		g.events.row(strconv.Itoa(g.event), id, at.Format("2006-01-02 15:04:05"), kind, amount)
		if at.After(moment) || at.Before(moment.AddDate(0, 0, -horizon)) {
			continue
		}
		if kind == "purchase" {
			purchases++
		} else {
			complaints++
		}
	}
	return purchases, complaints
}

func (g *generator) label(id string, moment time.Time, purchases, complaints int) {
	odds := math.Exp(0.8 - 0.55*float64(purchases) + 1.1*float64(complaints))
	churned, call := "no", ""
	if g.rng.Float64() < odds/(1+odds) {
		churned = "yes"
	}
	if churned == "yes" && g.rng.Float64() < 0.9 { // somebody called after they had left
		call = moment.AddDate(0, 0, 1+g.rng.IntN(20)).Format(time.DateOnly)
	}
	g.labels.row(id, moment.Format("2006-01-02 15:04:05"), call, churned)
}

// sheet is a CSV file in the making.
type sheet struct{ buf bytes.Buffer }

func (s *sheet) row(fields ...string) {
	w := csv.NewWriter(&s.buf)
	w.Write(fields) // a buffer takes everything
	w.Flush()
}

func (s *sheet) bytes() []byte { return s.buf.Bytes() }
