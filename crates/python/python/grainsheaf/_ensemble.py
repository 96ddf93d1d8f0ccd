"""The ensemble: runs, the lens they are seen through, and the questions about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _arguments as check
from . import _lens as lens_text
from . import _parameters as parameters_of
from ._answer import Answer
from ._questions import _Questions

if TYPE_CHECKING:
    import hatchet


class Ensemble(_Questions):
    """Runs of a store or a service, and the lens through which they are seen.

    An ensemble never changes: `where`, `by`, `level` and so on return another one. Nothing is read before a question
    is asked.
    """

    __slots__ = ()

    @property
    def lens(self) -> str:
        """The lens as text, as the command line and the page have it; empty for the default."""
        return self._lens

    def __repr__(self) -> str:
        return f"<Ensemble {self._source!r}{': ' + self._lens if self._lens else ''}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ensemble):
            return NotImplemented
        return self._source.identity == other._source.identity and self._lens == other._lens

    def __hash__(self) -> int:
        return hash((self._source.identity, self._lens))

    def __reduce__(self) -> tuple[Any, ...]:
        return Ensemble, (self._source, self._lens)

    def __copy__(self) -> Ensemble:
        return self

    def __deepcopy__(self, memo: object) -> Ensemble:
        return self

    # The lens.
    def with_lens(self, lens: str) -> Ensemble:
        """The same runs through another lens, given as text."""
        if not isinstance(lens, str):
            raise TypeError(f"`lens` must be a str, got {type(lens).__name__}")
        return Ensemble(self._source, lens_text.canonical("lens", lens))

    def where(self, expression: str) -> Ensemble:
        """Selects runs, such as `where("threads >= 4")`. A second selection holds next to the first."""
        return self._where("expression", expression)

    def by(self, *parameters: str) -> Ensemble:
        """Divides the runs into cohorts by the values of parameters; by none without an argument."""
        names = ", ".join(lens_text.quoted(check.text("parameters", each)) for each in parameters)
        return self._set("parameters", "by", f"by {names}" if names else "")

    def level(self, level: str) -> Ensemble:
        """Sets what a group is: `module`, `definition` or `context`."""
        return self._set("level", "level", f"level {check.choice('level', level, parameters_of.LEVELS)}")

    def metric(self, metric: str) -> Ensemble:
        """Sets the metric, by its name or by the name that the source uses."""
        return self._set("metric", "metric", f"metric {lens_text.quoted(check.text('metric', metric))}")

    def scope(self, scope: str) -> Ensemble:
        """Sets which value of the metric is meant: `inclusive` or `exclusive`."""
        return self._set("scope", "scope", f"scope {check.choice('scope', scope, parameters_of.SCOPES)}")

    def over(self, *, ranks: str | None = None, workers: str | None = None) -> Ensemble:
        """Sets how the values of ranks or of workers become one value of a run, such as `over(ranks="max")`."""
        if (ranks is None) == (workers is None):
            raise TypeError("give one of `ranks` and `workers`")
        name, how = ("ranks", ranks) if ranks is not None else ("workers", workers)
        how = check.choice(name, how, parameters_of.AGGREGATES[name])
        return self._set(name, "over", f"over {name}={how}")

    def below(self, share: float) -> Ensemble:
        """Sets the share of the whole below which groups are put together, such as `0.01`."""
        return self._set("share", "below", f"below {check.required_number('share', share)!r}")

    def split(self, module: str, *, into: str = "entries") -> Ensemble:
        """Makes definitions of a module groups of their own: its `entries`, or all `callees`."""
        module, into = check.text("module", module), check.text("into", into)
        return self._add("into", f"split {lens_text.quoted(module)} {into}")

    def reveal(self, context: str) -> Ensemble:
        """Makes one context a group of its own."""
        return self._add("context", f"reveal {lens_text.quoted(check.text('context', context))}")

    def focus(self, group: str) -> Ensemble:
        """Shows only groups on paths through this one."""
        return self._add("group", f"focus {lens_text.quoted(check.text('group', group))}")

    def hide(self, group: str) -> Ensemble:
        """Leaves a group out; its exclusive values go to its callers."""
        return self._add("group", f"hide {lens_text.quoted(check.text('group', group))}")

    def target(self, run: str | None) -> Ensemble:
        """Shows one run against the ensemble; `None` shows the ensemble alone."""
        text = "" if run is None else f"target {lens_text.quoted(check.text('run', run))}"
        return self._compared("run", text)

    # Questions about the ensemble.
    def runs(self) -> Answer:
        """The table of runs."""
        return self._about_all("runs", {})

    def stats(self, metric: str | None = None) -> Answer:
        """Distributions of groups over the runs of each cohort."""
        return self._of_metric(metric)._about_all("stats", {})

    def grain_stats(self, metric: str | None = None) -> Answer:
        """Distributions over the grains of the runs of each cohort: for drawing, never for tests."""
        return self._of_metric(metric)._about_all("stats/grains", {})

    def diff(self, a: str, b: str) -> Answer:
        """The difference of a candidate `b` and a baseline `a`: run ids, names or expressions."""
        return self._between(a, b)._about_all("diff", {})

    def explain(self, a: str, b: str) -> Answer:
        """Divides the difference of two elapsed times into causes."""
        return self._between(a, b)._about_all("explain", {})

    def grain_diff(self, a: str, b: str, *, grains: str | None = None, offset: int = 0, limit: int | None = None) -> Answer:
        """The difference grain by grain."""
        parameters = {"grains": check.optional_text("grains", grains), **parameters_of.rows(offset, limit)}
        return self._between(a, b)._about_all("diff/grains", parameters, paged=True)

    def gate(
        self,
        a: str,
        b: str,
        *,
        max_regression: float | None = None,
        min_share: float | None = None,
        alpha: float | None = None,
        fail_on: str | Iterable[str] | None = None,
        strict: bool = False,
    ) -> Answer:
        """Decides whether the candidate `b` is slower than the baseline `a`."""
        parameters = {
            "max_regression": check.number("max_regression", max_regression),
            "min_share": check.number("min_share", min_share),
            "alpha": check.number("alpha", alpha),
            "fail_on": parameters_of.causes("fail_on", fail_on),
            "strict": check.truth("strict", strict) or None,
        }
        return self._between(a, b)._about_all("gate", parameters)

    def noise(self, *, alpha: float | None = None, splits: int | None = None) -> Answer:
        """The noise of repeats, and the share of gates on equal runs that fail."""
        parameters = {"alpha": check.number("alpha", alpha), "splits": check.count("splits", splits)}
        return self._about_all("noise", parameters)

    def scale(
        self,
        by: str | None = None,
        *,
        series: str | Iterable[str] | None = None,
        fit: str | Iterable[str] | None = None,
        scaling: str | None = None,
        table: str | None = None,
    ) -> Answer:
        """How times change with a parameter, and where the time of workers was lost."""
        parameters = {
            "by": check.optional_text("by", by),
            "series": check.joined("series", series),
            "fit": check.joined("fit", fit),
            "scaling": check.optional_choice("scaling", scaling, parameters_of.SCALINGS),
            "table": check.optional_choice("table", table, parameters_of.TABLES),
        }
        return self._about_all("scale", parameters)

    def history(
        self,
        by: str | None = None,
        *,
        order: str | None = None,
        versions: str | Iterable[str] | None = None,
        environment: str | Iterable[str] | None = None,
        metrics: str | Iterable[str] | None = None,
        alpha: float | None = None,
    ) -> Answer:
        """At which version groups changed."""
        parameters = {
            "by": check.optional_text("by", by),
            "order": check.optional_text("order", order),
            "versions": check.joined("versions", versions),
            "environment": check.joined("environment", environment),
            "metrics": check.joined("metrics", metrics),
            "alpha": check.number("alpha", alpha),
        }
        return self._about_all("history", parameters)

    def similar(
        self,
        measure: str | None = None,
        *,
        metric: str | None = None,
        form: str | None = None,
        threshold: float | None = None,
        clusters: int | None = None,
        seed: int | None = None,
    ) -> Answer:
        """How alike runs are, and which belong together: those at least as alike as `threshold`.

        `clusters` is for `projection`.
        """
        if check.count("clusters", clusters) is not None:
            raise ValueError("`clusters` is for `projection`; `similar` puts runs together by `threshold`")
        parameters = parameters_of.similar(measure, metric, form, threshold, seed)
        return self._about_all("similar", parameters)

    def projection(
        self,
        measure: str | None = None,
        *,
        metric: str | None = None,
        form: str | None = None,
        threshold: float | None = None,
        clusters: int | None = None,
        seed: int | None = None,
    ) -> Answer:
        """The runs as points: by their behaviour, and by their parameters."""
        parameters = {
            **parameters_of.similar(measure, metric, form, threshold, seed),
            "clusters": parameters_of.clusters(clusters),
        }
        return self._about_all("projection", parameters)

    def locations(
        self,
        by: str | None = None,
        *,
        order: str | None = None,
        runs: int | None = None,
        columns: int | None = None,
        offset: int = 0,
        limit: int | None = None,
    ) -> Answer:
        """Values of groups by rank or worker, run by run."""
        parameters = {
            "by": check.optional_choice("by", by, parameters_of.LOCATIONS),
            "order": check.optional_choice("order", order, parameters_of.ORDERS),
            "runs": check.count("runs", runs),
            "columns": check.count("columns", columns),
            **parameters_of.rows(offset, limit),
        }
        return self._about_all("locations", parameters)

    def sankey(self, *, width: float | None = None, height: float | None = None) -> Answer:
        """The ensemble-Sankey with its geometry."""
        parameters = {"width": check.number("width", width), "height": check.number("height", height)}
        return self._about_all("sankey", parameters, has_table=False)

    def hierarchy(self, group: str) -> Answer:
        """The tree of contexts inside a group."""
        return self._about_all("hierarchy", {"group": check.text("group", group)}, has_table=False)

    def distribution(self, group: str, *, mode: str | None = None) -> Answer:
        """The histogram of the values of a group."""
        mode = check.optional_choice("mode", mode, parameters_of.COUNTED)
        parameters = {"group": check.text("group", group), "mode": mode}
        return self._about_all("distribution", parameters, has_table=False)

    def what_if(
        self,
        *runs: str,
        workers: int | Iterable[int] | None = None,
        infinite: bool = False,
        faster: str | Iterable[str] | None = None,
        no_delay: bool = False,
        without_creation_cost: bool = False,
        cut_off: int | None = None,
        chunk_size: int | None = None,
        reference: str | None = None,
        policy: str | None = None,
        repeats: int | None = None,
        seed: int | None = None,
    ) -> Answer:
        """Predicts elapsed times of runs on other numbers of workers and with changes, such as `faster="sort=20%"`.

        Runs are ids, names or expressions, among all runs of the store.
        """
        parameters = {
            "workers": check.counts("workers", workers),
            "infinite": check.truth("infinite", infinite) or None,
            "faster": parameters_of.faster("faster", faster),
            "no_delay": check.truth("no_delay", no_delay) or None,
            "without_creation_cost": check.truth("without_creation_cost", without_creation_cost) or None,
            "cut_off": check.count("cut_off", cut_off),
            "chunk_size": check.count("chunk_size", chunk_size),
            **parameters_of.schedules(reference, policy, repeats, seed),
        }
        return self._predicted("what-if", runs, parameters)

    def what_first(
        self,
        run: str,
        *,
        workers: int | Iterable[int] | None = None,
        reference: str | None = None,
        policy: str | None = None,
        repeats: int | None = None,
        seed: int | None = None,
    ) -> Answer:
        """The gain in elapsed time from less work of each definition of a run, the largest gain first."""
        parameters = {
            "workers": check.counts("workers", workers),
            **parameters_of.schedules(reference, policy, repeats, seed),
        }
        return self._predicted("what-if/first", (run,), parameters)

    def what_if_check(
        self,
        *runs: str,
        reference: str | None = None,
        policy: str | None = None,
        repeats: int | None = None,
        seed: int | None = None,
    ) -> Answer:
        """Recorded runs predicted from runs with other numbers of workers, with the errors."""
        return self._predicted("what-if/check", runs, parameters_of.schedules(reference, policy, repeats, seed))

    # Questions about one run.
    def info(self, run: str) -> Answer:
        """Everything that is known about one run."""
        return self._about("info", run, "", {})

    def grains(
        self,
        run: str,
        *,
        where: str | None = None,
        sort: str | None = None,
        metrics: str | Iterable[str] | None = None,
        all: bool = False,
        reference: str | None = None,
        offset: int = 0,
        limit: int | None = None,
    ) -> Answer:
        """The grains of one run with their metrics."""
        parameters = {
            "where": check.optional_text("where", where),
            "sort": check.optional_text("sort", sort),
            "metrics": check.joined("metrics", metrics),
            "all": check.truth("all", all) or None,
            "reference": check.optional_text("reference", reference),
            **parameters_of.rows(offset, limit),
        }
        return self._about("grains", run, "/grains", parameters, paged=True)

    def problems(
        self,
        run: str,
        *,
        thresholds: str | Iterable[str] | None = None,
        preset: str | None = None,
        reference: str | None = None,
    ) -> Answer:
        """The grains of one run that exceed thresholds, by problem."""
        parameters = {
            "thresholds": check.joined("thresholds", thresholds, ";"),
            "preset": check.optional_choice("preset", preset, parameters_of.PRESETS),
            "reference": check.optional_text("reference", reference),
        }
        return self._about("problems", run, "/problems", parameters)

    def tree(
        self,
        run: str,
        *,
        problem: str | None = None,
        separate: bool = False,
        reference: str | None = None,
        metrics: str | Iterable[str] | None = None,
        depth: int | None = None,
    ) -> Answer:
        """The aggregation tree of one run, with all metrics unless `metrics` names some."""
        parameters = {
            **parameters_of.tree(problem, separate, reference, parameters_of.ALL_METRICS if metrics is None else metrics),
            "depth": check.count("depth", depth),
        }
        return self._about("tree", run, "/tree", parameters)

    def groups(
        self,
        run: str,
        group: int = 0,
        *,
        problem: str | None = None,
        separate: bool = False,
        reference: str | None = None,
        metrics: str | Iterable[str] | None = None,
        structures: bool = False,
        offset: int = 0,
        limit: int | None = None,
    ) -> Answer:
        """The children of one group of the aggregation tree."""
        parameters = {
            "group": check.count("group", group),
            **parameters_of.tree(problem, separate, reference, metrics),
            "structures": check.truth("structures", structures) or None,
            **parameters_of.rows(offset, limit),
        }
        return self._about("groups", run, "/groups", parameters)

    def timeline(self, run: str, *, start: int | None = None, end: int | None = None, pixels: int | None = None) -> Answer:
        """Which worker ran which grain, in an interval of one run."""
        return self._about("timeline", run, "/timeline", parameters_of.window(start, end, pixels))

    def parallelism(self, run: str, *, start: int | None = None, end: int | None = None, pixels: int | None = None) -> Answer:
        """How many fragments of one run were running and ready over time, in `pixels` equal parts: 40 by default."""
        parameters = parameters_of.window(start, end, parameters_of.PARTS if pixels is None else pixels)
        return self._about("parallelism", run, "/parallelism", parameters)

    def scheduling(self, run: str) -> Answer:
        """How the workers of one run spent their time."""
        return self._about("scheduling", run, "/scheduling", {})

    def paths(
        self,
        run: str,
        *,
        definition: str | None = None,
        grain: int | None = None,
        group: int | None = None,
        graph: str | None = None,
    ) -> Answer:
        """What bounds the time of one run: its critical path, and the path of last finishers."""
        parameters = {
            "definition": check.optional_text("definition", definition),
            "grain": check.count("grain", grain),
            "group": check.count("group", group),
            "graph": check.optional_choice("graph", graph, parameters_of.GRAPHS),
        }
        return self._about("paths", run, "/paths", parameters)

    def loops(self, run: str) -> Answer:
        """How many workers the loops of one run need."""
        return self._about("loops", run, "/loops", {})

    def to_hatchet(self, run: str) -> hatchet.GraphFrame:
        """A run as a `hatchet.GraphFrame`, with the metric of the lens."""
        from ._frames import to_hatchet

        return to_hatchet(self, run)

    def _of_metric(self, metric: str | None) -> Ensemble:
        return self if metric is None else self.metric(metric)

    def _between(self, a: str, b: str) -> Ensemble:
        a, b = check.text("a", a), check.text("b", b)
        return self._compared("a", f"diff {lens_text.quoted(a)} to {lens_text.quoted(b)}")

    def _where(self, argument: str, expression: str) -> Ensemble:
        return self._through(lens_text.with_condition(argument, self._lens, check.text(argument, expression)))

    def _compared(self, argument: str, clause: str) -> Ensemble:
        return self._through(lens_text.with_clause(argument, self._lens, clause, "target", "diff"))

    def _set(self, argument: str, keyword: str, clause: str) -> Ensemble:
        return self._through(lens_text.with_clause(argument, self._lens, clause, keyword))

    def _add(self, argument: str, clause: str) -> Ensemble:
        return self._through(lens_text.with_clause(argument, self._lens, clause))

    def _through(self, lens: str) -> Ensemble:
        return Ensemble(self._source, lens)
