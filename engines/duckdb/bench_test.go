package duckdb

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"ambit/datasets"
)

// wideCSV returns a table of numbers, texts and dates.
func wideCSV(rows, columns int) []byte {
	random := rand.New(rand.NewPCG(3, 4))
	var b bytes.Buffer
	for c := range columns {
		if c > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "c%d", c)
	}
	b.WriteByte('\n')
	var row []byte
	for range rows {
		row = row[:0]
		for c := range columns {
			if c > 0 {
				row = append(row, ',')
			}
			switch c % 5 {
			case 0, 1:
				row = strconv.AppendFloat(row, random.NormFloat64()*100, 'f', 4, 64)
			case 2:
				row = strconv.AppendInt(row, random.Int64N(1000), 10)
			case 3:
				row = append(row, 'k', byte('a'+random.IntN(20)))
			default:
				row = time.Unix(random.Int64N(1_700_000_000), 0).UTC().AppendFormat(row, time.DateOnly)
			}
		}
		b.Write(append(row, '\n'))
	}
	return b.Bytes()
}

// BenchmarkQuery compares an aggregate over a million rows, as a caller sees it,
// with the engine's own time for it.
func BenchmarkQuery(b *testing.B) {
	e := newEngine(b, nil)
	ingestCSV(b, e, "w", "v", string(wideCSV(1_000_000, 5)))
	q := datasets.Query{Workspace: "w", Tables: []datasets.Table{{Name: "t", Version: "v"}},
		SQL: "SELECT c2, count(*), avg(c0), sum(c1), max(c4) FROM t GROUP BY c2 ORDER BY c2"}
	if _, err := e.Query(context.Background(), q); err != nil {
		b.Fatal(err)
	}
	var engine float64
	for b.Loop() {
		r, err := e.Query(context.Background(), q)
		if err != nil {
			b.Fatal(err)
		}
		engine += r.ElapsedMS
	}
	report(b, engine)
}

// BenchmarkQuerySmall is the cost of a statement that does next to nothing.
func BenchmarkQuerySmall(b *testing.B) {
	e := newEngine(b, nil)
	ingestCSV(b, e, "w", "v", "a\n1\n")
	q := datasets.Query{Workspace: "w", Tables: []datasets.Table{{Name: "t", Version: "v"}}, SQL: "SELECT a FROM t"}
	var engine float64
	for b.Loop() {
		r, err := e.Query(context.Background(), q)
		if err != nil {
			b.Fatal(err)
		}
		engine += r.ElapsedMS
	}
	report(b, engine)
}

// BenchmarkRead compares reading ten columns of a million rows with the engine's
// own scan of them, which is a sum over each.
func BenchmarkRead(b *testing.B) {
	e := newEngine(b, nil)
	ingestCSV(b, e, "w", "v", string(wideCSV(1_000_000, 25)))
	read := datasets.Read{Workspace: "w", Version: "v"}
	scan := "SELECT "
	for n := range 10 {
		name := fmt.Sprintf("c%d", n/2*5+n%2)
		read.Columns = append(read.Columns, datasets.ReadColumn{Name: name, As: datasets.AsFloat32})
		scan += "sum(" + name + "), "
	}
	q := datasets.Query{Workspace: "w", Tables: []datasets.Table{{Name: "t", Version: "v"}}, SQL: scan + "1 FROM t"}
	var engine float64
	for b.Loop() {
		if _, err := e.Read(context.Background(), read); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		r, err := e.Query(context.Background(), q)
		if err != nil {
			b.Fatal(err)
		}
		engine += r.ElapsedMS
		b.StartTimer()
	}
	report(b, engine)
}

// BenchmarkIngest builds and profiles 100,000 rows of 50 columns.
func BenchmarkIngest(b *testing.B) {
	e := newEngine(b, nil)
	file := wideCSV(100_000, 50)
	b.SetBytes(int64(len(file)))
	for n := 0; b.Loop(); n++ {
		in := datasets.Ingest{Workspace: "w", Version: fmt.Sprint("v", n), Format: datasets.CSV, Source: bytes.NewReader(file), MaxBytes: 1 << 30}
		if _, err := e.Ingest(context.Background(), in); err != nil {
			b.Fatal(err)
		}
	}
}

// report adds the engine's own time and what there is beside it.
func report(b *testing.B, engine float64) {
	engine /= float64(b.N)
	wall := float64(b.Elapsed().Microseconds()) / 1000 / float64(b.N)
	b.ReportMetric(engine, "engine-ms/op")
	b.ReportMetric(wall-engine, "beside-ms/op")
	b.ReportMetric(wall/engine, "ratio")
}
