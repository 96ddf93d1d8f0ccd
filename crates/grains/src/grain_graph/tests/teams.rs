//! Made-up runs of teams: regions, barriers, chunks, deferred and undeferred tasks, taskgroups, dependences.

use sheaf_model::table::{
    DependenceRow, FragmentEnd, FragmentRow, GrainKind, GrainRow, WaitKind, WaitRow, flags,
};
use sheaf_model::{RunMeta, RunSummary, RunTables};
use sheaf_synthetic::Numbers;

/// Tables of a run while its program is executed. Many stretches take no time, and many times are equal.
struct Teams {
    numbers: Numbers,
    grains: Vec<GrainRow>,
    fragments: Vec<FragmentRow>,
    waits: Vec<WaitRow>,
    dependences: Vec<DependenceRow>,
    /// Grains that can still be made.
    room: u32,
}

/// A grain under way.
struct Body {
    grain: i32,
    clock: i64,
    /// Tasks that nobody waited for yet.
    pending: Vec<i32>,
    created: i64,
    depth: u32,
}

/// A run that follows from `seed`, with up to about so many grains.
pub(super) fn teams(seed: u64, grains: u32) -> RunTables {
    let mut teams = Teams {
        numbers: Numbers::new(seed),
        grains: Vec::new(),
        fragments: Vec::new(),
        waits: Vec::new(),
        dependences: Vec::new(),
        room: grains,
    };
    let mut main = teams.begin(None, GrainKind::Initial, 0, 0, 0);
    for sequence in 0..=teams.numbers.below(3) {
        teams.run(&mut main, FragmentEnd::Enter);
        teams.region(&mut main, i64::from(sequence));
        teams.run(&mut main, FragmentEnd::GrainEnd);
    }
    let elapsed = main.clock + i64::from(teams.numbers.below(3));
    teams.end(&main);
    teams.tables(elapsed)
}

impl Teams {
    fn below(&mut self, limit: u32) -> u32 {
        self.numbers.below(limit)
    }

    fn begin(
        &mut self,
        parent: Option<i32>,
        kind: GrainKind,
        sequence: i64,
        index: i64,
        clock: i64,
    ) -> Body {
        let grain = i32::try_from(self.grains.len()).unwrap();
        let context = i32::try_from(self.below(12)).unwrap();
        self.grains.push(GrainRow {
            path_key: i64::from(grain),
            context,
            parent,
            kind: kind as i32,
            sequence: Some(sequence),
            index,
            created: Some(clock),
            ..GrainRow::default()
        });
        self.room = self.room.saturating_sub(1);
        Body {
            grain,
            clock,
            pending: Vec::new(),
            created: 0,
            depth: 0,
        }
    }

    fn end(&mut self, body: &Body) {
        let of_grain = |fragment: &&FragmentRow| fragment.grain == body.grain;
        let first = self.fragments.iter().find(of_grain).map(|it| it.start);
        let row = &mut self.grains[usize::try_from(body.grain).unwrap()];
        (row.start, row.end) = (first, Some(body.clock));
    }

    /// A stretch, now and then none at all.
    fn run(&mut self, body: &mut Body, ended_by: FragmentEnd) {
        if self.below(8) == 0 {
            return;
        }
        let duration = i64::from(self.below(4));
        let location = i32::try_from(self.below(2)).unwrap();
        self.fragments.push(FragmentRow {
            grain: body.grain,
            location,
            start: body.clock,
            duration,
            ended_by: ended_by as i32,
        });
        body.clock += duration + i64::from(self.below(2));
    }

    fn region(&mut self, owner: &mut Body, sequence: i64) {
        let size = 1 + self.below(3);
        let begin = |index| {
            let parent = Some(owner.grain);
            self.begin(parent, GrainKind::Implicit, sequence, index, owner.clock)
        };
        let mut members: Vec<Body> = (0..i64::from(size)).map(begin).collect();
        for phase in 0..=self.below(3) {
            if phase > 0 {
                self.wait(&mut members, WaitKind::Barrier);
            }
            for member in &mut members {
                member.depth = owner.depth + 1;
                self.steps(member, true);
            }
        }
        self.wait(&mut members, WaitKind::RegionEnd);
        for member in &mut members {
            if self.below(2) == 0 {
                self.run(member, FragmentEnd::GrainEnd);
            }
            self.end(member);
        }
        owner.clock = (members.iter()).map(|it| it.clock).max().unwrap();
    }

    /// Everybody waits for the last one and for all tasks.
    fn wait(&mut self, members: &mut [Body], kind: WaitKind) {
        let arrivals: Vec<i64> = members.iter().map(|member| member.clock).collect();
        for member in &mut *members {
            self.run_pending(member);
        }
        let end = members.iter().map(|member| member.clock).max().unwrap();
        for (member, start) in members.iter_mut().zip(arrivals) {
            self.push_wait(member.grain, kind, start, end);
            member.clock = end;
        }
    }

    fn push_wait(&mut self, grain: i32, kind: WaitKind, start: i64, end: i64) {
        self.waits.push(WaitRow {
            grain,
            kind: kind as i32,
            start,
            duration: end - start,
            line: None,
        });
    }

    fn run_pending(&mut self, body: &mut Body) {
        let begin = body.clock;
        for task in std::mem::take(&mut body.pending) {
            let start = begin + i64::from(self.below(3));
            let end = self.task(task, start, body.depth + 1, &mut Vec::new());
            body.clock = body.clock.max(end);
        }
    }

    /// Executes a task; what it leaves behind is added to `left`.
    fn task(&mut self, grain: i32, clock: i64, depth: u32, left: &mut Vec<i32>) -> i64 {
        let mut body = Body {
            grain,
            clock,
            pending: Vec::new(),
            created: 0,
            depth,
        };
        self.steps(&mut body, false);
        let end = body.clock;
        self.end(&body);
        left.append(&mut body.pending);
        // Somebody runs it before the barrier.
        let mut last = end;
        for task in std::mem::take(left) {
            last = last.max(self.task(task, end, depth + 1, &mut Vec::new()));
        }
        last
    }

    fn steps(&mut self, body: &mut Body, is_member: bool) {
        for _ in 0..self.below(5) {
            let may_create = self.room > 0 && body.depth < 6;
            match self.below(9) {
                0..=2 if may_create => self.create(body),
                3 if may_create => {
                    self.run(body, FragmentEnd::Creation);
                    let child = self.child(body, GrainKind::Task);
                    self.grains.last_mut().unwrap().flags |= flags::UNDEFERRED;
                    body.clock = self.task(child, body.clock, body.depth + 1, &mut Vec::new());
                }
                4 if may_create && is_member => {
                    self.run(body, FragmentEnd::Enter);
                    let mut chunk = self.child_body(body, GrainKind::Chunk);
                    self.run(&mut chunk, FragmentEnd::GrainEnd);
                    self.end(&chunk);
                    body.clock = chunk.clock;
                }
                5 if may_create && body.depth < 3 => {
                    self.run(body, FragmentEnd::Enter);
                    let sequence = 100 + body.created;
                    body.created += 1;
                    self.region(body, sequence);
                }
                6 => {
                    let kinds = [WaitKind::Taskwait, WaitKind::Taskgroup];
                    let kind = kinds[self.below(2) as usize];
                    self.run(body, FragmentEnd::Wait);
                    let start = body.clock;
                    self.run_pending(body);
                    self.push_wait(body.grain, kind, start, body.clock);
                }
                7 => self.run(body, FragmentEnd::Switch),
                _ => self.run(body, FragmentEnd::Lock),
            }
        }
        self.run(body, FragmentEnd::GrainEnd);
    }

    fn create(&mut self, body: &mut Body) {
        self.run(body, FragmentEnd::Creation);
        let child = self.child(body, GrainKind::Task);
        if !body.pending.is_empty() && self.below(3) == 0 {
            let before = self.below(u32::try_from(body.pending.len()).unwrap());
            self.dependences.push(DependenceRow {
                predecessor: body.pending[before as usize],
                successor: child,
            });
        }
        body.pending.push(child);
    }

    fn child(&mut self, body: &mut Body, kind: GrainKind) -> i32 {
        self.child_body(body, kind).grain
    }

    fn child_body(&mut self, body: &mut Body, kind: GrainKind) -> Body {
        let index = body.created;
        body.created += 1;
        self.begin(Some(body.grain), kind, 0, index, body.clock)
    }

    fn tables(mut self, elapsed: i64) -> RunTables {
        let meta = RunMeta::new("program", "text");
        let mut run = RunTables::without_grains(RunSummary::empty(meta));
        run.summary.meta_mut().elapsed = Some(elapsed);
        run.summary.meta_mut().workers = Some(2);
        self.fragments.sort_by_key(|fragment| fragment.grain);
        self.waits.sort_by_key(|wait| (wait.grain, wait.start));
        self.dependences.sort_by_key(|it| it.successor);
        run.grains = self.grains.into_iter().collect();
        run.fragments = self.fragments.into_iter().collect();
        run.waits = self.waits.into_iter().collect();
        run.dependences = self.dependences.into_iter().collect();
        run
    }
}
