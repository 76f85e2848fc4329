package worker

import (
	"fmt"
	"path/filepath"
	"strings"

	duck "github.com/duckdb/duckdb-go-bindings"

	"ambit/engines/duckdb/internal/gate"
	"ambit/engines/duckdb/internal/wire"
	"ambit/internal/fault"
)

// TableName is the name of the one table in a built file.
const TableName = "t"

// session is what a booted child works with.
type session struct {
	parser      *connection
	serialize   duck.PreparedStatement // SQL to tree
	deserialize duck.PreparedStatement // tree to SQL
	catalogue   gate.Catalogue
}

// start confines the child, opens the engine and locks its settings.
// Faults: engine_unavailable.
func (w *worker) start(b *wire.Boot) (*wire.Booted, error) {
	booted, err := Confine(b)
	if err != nil {
		return nil, fault.New(fault.EngineUnavailable, "The engine's sandbox cannot be set up on this machine.").
			WithFix("Ask the operator to run ambit doctor.").Because(err)
	}
	if err := w.open(b); err != nil {
		return nil, fault.New(fault.EngineUnavailable, "The engine did not start.").WithFix("Try again.").Because(err)
	}
	booted.Engine = duck.LibraryVersion()
	w.boot = b
	return booted, nil
}

func (w *worker) open(b *wire.Boot) error {
	db, err := openDatabase()
	if err != nil {
		return fmt.Errorf("opening: %w", err)
	}
	w.db = db
	c, err := db.connect()
	if err != nil {
		return err
	}
	columns := map[string][]string{}
	for i, t := range b.Tables {
		if columns[t.Name], err = attach(c, i, t); err != nil {
			return fmt.Errorf("attaching table %d: %w", i, err)
		}
	}
	if b.Output != "" {
		if err := c.exec("ATTACH " + quoteText(filepath.Join(b.Output, builtFile)) + " AS built"); err != nil {
			return fmt.Errorf("attaching the output: %w", err)
		}
	}
	if err := lock(c, b); err != nil {
		return err
	}
	return w.parse(c, gate.NewCatalogue(columns))
}

// attach opens a table's file read-only and puts a view of the dataset's name
// before it. It returns the columns.
func attach(c *connection, i int, t wire.Table) ([]string, error) {
	alias := fmt.Sprintf("v%d", i)
	if err := c.exec("ATTACH " + quoteText(t.Path) + " AS " + alias + " (READ_ONLY)"); err != nil {
		return nil, err
	}
	table := alias + ".main." + TableName
	view := "CREATE VIEW " + quoteName(t.Name) + " AS SELECT * "
	if len(t.Masked) > 0 {
		masked := make([]string, len(t.Masked))
		for i, name := range t.Masked {
			masked[i] = "nullif(" + quoteName(name) + ", " + quoteName(name) + ") AS " + quoteName(name)
		}
		view += "REPLACE (" + strings.Join(masked, ", ") + ") "
	}
	if err := c.exec(view + "FROM " + table); err != nil {
		return nil, err
	}
	var columns []string
	err := c.stream("SELECT name FROM pragma_table_info("+quoteText(table)+")", func(cols []*column, rows int) (bool, error) {
		for i := range rows {
			columns = append(columns, string(cols[0].appendText(nil, i)))
		}
		return true, nil
	})
	return columns, err
}

// setting is a setting and the text that the engine shows for it; "" compares nothing.
type setting struct{ name, value, shown string }

// lock applies the settings by SQL in a fixed order, because options given at
// opening are applied in no order, and compares what the engine then says.
func lock(c *connection, b *wire.Boot) error {
	for _, s := range settings(b) {
		if err := c.exec("SET " + s.name + " = " + s.value); err != nil {
			return fmt.Errorf("setting %s: %w", s.name, err)
		}
	}
	shown := map[string]string{}
	err := c.stream("SELECT name, value FROM duckdb_settings()", func(columns []*column, rows int) (bool, error) {
		for i := range rows {
			if !columns[1].null(i) {
				shown[string(columns[0].appendText(nil, i))] = string(columns[1].appendText(nil, i))
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("reading the settings: %w", err)
	}
	for _, s := range settings(b) {
		if s.shown != "" && shown[s.name] != s.shown {
			return fmt.Errorf("setting %s is %q, not %q", s.name, shown[s.name], s.shown)
		}
	}
	return nil
}

func settings(b *wire.Boot) []setting {
	spill := ""
	if b.Limits.Spill > 0 {
		spill = filepath.Join(b.Output, "spill")
	}
	list := []setting{
		{"TimeZone", "'UTC'", "UTC"},
		{"autoinstall_known_extensions", "false", "false"},
		{"autoload_known_extensions", "false", "false"},
		{"allow_community_extensions", "false", "false"},
		{"allow_unsigned_extensions", "false", "false"},
		{"allow_persistent_secrets", "false", "false"},
		{"lambda_syntax", "'ENABLE_SINGLE_ARROW'", "ENABLE_SINGLE_ARROW"},
		{"preserve_insertion_order", "true", "true"},
		{"memory_limit", fmt.Sprintf("'%dMiB'", b.Limits.Memory>>20), mebibytes(b.Limits.Memory)},
		{"threads", fmt.Sprint(b.Limits.Threads), fmt.Sprint(b.Limits.Threads)},
		{"max_expression_depth", "500", "500"},
		{"temp_directory", quoteText(spill), spill},
		{"max_temp_directory_size", fmt.Sprintf("'%dMiB'", b.Limits.Spill>>20), mebibytes(b.Limits.Spill)},
	}
	if b.Source != "" {
		// The engine adds the attached file's own paths, so there is no one text to
		// compare. Allowed is writing too; the kernel forbids that.
		list = append(list, setting{"allowed_paths", "[" + quoteText(b.Source) + "]", ""})
	}
	return append(list, setting{"enable_external_access", "false", "false"}, setting{"lock_configuration", "true", "true"})
}

// mebibytes is how the engine shows a size.
func mebibytes(n uint64) string {
	mib := float64(n >> 20)
	switch {
	case mib == 0:
		return "0 bytes"
	case mib < 1024:
		return fmt.Sprintf("%.1f MiB", mib)
	case mib < 1<<20:
		return fmt.Sprintf("%.1f GiB", float64(int(mib*10/1024))/10)
	}
	return fmt.Sprintf("%.1f TiB", float64(int(mib*10/(1<<20)))/10)
}

// parse readies the two statements that turn SQL into a tree and back, on a
// connection that never runs a caller's SQL.
func (w *worker) parse(c *connection, catalogue gate.Catalogue) error {
	w.session = session{parser: c, catalogue: catalogue}
	var err error
	if w.serialize, err = c.prepare("SELECT json_serialize_sql($1::VARCHAR, skip_null := true)::VARCHAR"); err != nil {
		return fmt.Errorf("preparing the parser: %w", err)
	}
	if w.deserialize, err = c.prepare("SELECT json_deserialize_sql($1::VARCHAR::JSON)"); err != nil {
		return fmt.Errorf("preparing the writer: %w", err)
	}
	return nil
}
