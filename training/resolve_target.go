package training

import (
	"context"
	"fmt"
	"slices"

	"ambit/datasets"
	"ambit/plans"
)

// resolveTarget sets what spec says of the target, and returns it.
func (r Resolver) resolveTarget(ctx context.Context, v datasets.Version, ask plans.Request, spec *plans.Spec) (target, error) {
	column := v.Columns[slices.IndexFunc(v.Columns, func(c datasets.Column) bool { return c.Name == ask.Target })]
	values, series, err := r.readValues(ctx, v, column)
	if err != nil {
		return target{}, err
	}
	if err := decideTask(column, values, ask, spec); err != nil {
		return target{}, err
	}
	if spec.Task == plans.Regression && series.Float64 == nil {
		if series, err = r.read(ctx, v, column.Name, datasets.AsFloat64); err != nil {
			return target{}, err
		}
	}
	t := newTarget(*spec, series)
	spec.Rows, spec.DroppedRows = len(t.rows), int(v.Rows)-len(t.rows)
	warnOfRows(spec)
	return t, nil
}

// readValues reads the target as levels, or as numbers if it has too many of
// them to be classes.
func (r Resolver) readValues(ctx context.Context, v datasets.Version, column datasets.Column) (Values, datasets.Series, error) {
	if p := profileOf(v, column.Name); kindOf(column).number() && p != nil && p.Distinct > 2*maxClasses {
		s, err := r.read(ctx, v, column.Name, datasets.AsFloat64)
		return Values{Present: int(v.Rows - p.Missing)}, s, err
	}
	s, err := r.read(ctx, v, column.Name, datasets.AsLevels)
	if err != nil {
		return Values{}, s, err
	}
	return countValues(s), s, nil
}

func (r Resolver) read(ctx context.Context, v datasets.Version, column string, as datasets.ReadAs) (datasets.Series, error) {
	f, err := r.Tables.Read(ctx, datasets.Read{
		Workspace: v.Workspace, Version: v.ID, Columns: []datasets.ReadColumn{{Name: column, As: as}},
	})
	if err != nil {
		return datasets.Series{}, err
	}
	if len(f.Columns) != 1 {
		return datasets.Series{}, fmt.Errorf("reading the target: got %d columns, want 1", len(f.Columns))
	}
	return f.Columns[0], nil
}

// decideTask sets task, classes and positive class.
func decideTask(column datasets.Column, v Values, ask plans.Request, spec *plans.Spec) (err error) {
	spec.Task = ask.Task
	if ask.Task != "" {
		err = checkTask(ask.Task, column, v)
	} else {
		var warnings []datasets.Warning
		spec.Task, warnings, err = InferTask(column, v)
		spec.Warnings = append(spec.Warnings, warnings...)
	}
	if err != nil {
		return err
	}
	if spec.Task != plans.Regression {
		err = decideClasses(v, ask, spec)
	}
	if err == nil && ask.Positive != "" && spec.Task != plans.Binary {
		err = invalid("positive", fmt.Sprintf("has no meaning for a %s task", spec.Task), "Leave it out.")
	}
	return err
}

func decideClasses(v Values, ask plans.Request, spec *plans.Spec) (err error) {
	kept, warnings := v.dropRare()
	spec.Warnings = append(spec.Warnings, warnings...)
	spec.Classes = kept.Classes
	if len(kept.Classes) < 2 {
		return badTarget("has fewer than two classes of two rows or more", "Add rows of the rare class, or choose another target.")
	}
	if len(kept.Classes) > 2 {
		warnOfRareClasses(kept, spec)
		return nil
	}
	if spec.Task = plans.Binary; ask.Task == plans.Multiclass {
		return invalid("task", "multiclass needs three classes of two rows or more", "Leave task out to have it inferred.")
	}
	spec.Positive, err = positiveClass(kept.Classes, ask.Positive)
	return err
}

func warnOfRareClasses(v Values, spec *plans.Spec) {
	if v.common() {
		return
	}
	spec.Warnings = append(spec.Warnings, datasets.Warning{
		Code: "rare_class", Message: fmt.Sprintf("Some classes of the target have fewer than %d rows.", commonClass),
		Fix: "Merge them with others, or add rows.",
	})
}

func warnOfRows(spec *plans.Spec) {
	if spec.DroppedRows > 0 {
		spec.Warnings = append(spec.Warnings, datasets.Warning{
			Code: "target_missing", Message: fmt.Sprintf("%d rows have no target and are left out.", spec.DroppedRows),
		})
	}
	if spec.Rows < smallTable {
		spec.Warnings = append(spec.Warnings, datasets.Warning{
			Code: "small", Message: fmt.Sprintf("%d rows: scores will differ much by chance; read them with their standard errors.", spec.Rows),
		})
	}
}
