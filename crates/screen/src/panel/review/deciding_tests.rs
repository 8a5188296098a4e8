use super::*;
use crate::panel::pictures::{picture, press, type_keys};
use attache_checkpoint::{
    Budget, HunkState, Label, Reason, Restorer, Reviewer, Roots, Store, StoreOptions,
};
use ratatui::crossterm::event::KeyCode;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The checkpoints of a folder in which a turn changed two files.
struct World {
    _folder: tempfile::TempDir,
    store: Store,
    readme: std::path::PathBuf,
}

impl World {
    /// A turn changed `README.md` and made `made.txt`.
    fn new() -> Self {
        Self::with(|project| {
            fs::write(project.join("README.md"), "new\n").unwrap();
            fs::write(project.join("made.txt"), "1\n").unwrap();
        })
    }

    fn with(change: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        fs::create_dir(&project).unwrap();
        let readme = project.join("README.md");
        fs::write(&readme, "old\n").unwrap();
        let store = Store::open(&folder.path().join("store"), StoreOptions::default()).unwrap();
        let roots = Roots::new([&project]).unwrap();
        let take = |reason, turn| {
            let label = Label { turn, ..Label::new("owner", reason) };
            store.take(&roots, &label, &Budget::lasting(Duration::from_secs(60))).unwrap();
        };
        take(Reason::SessionStart, None);
        take(Reason::BeforePrompt, Some(1));
        change(&project);
        take(Reason::AfterTurn, Some(1));
        Self { _folder: folder, store, readme }
    }

    fn changes(&self) -> ReviewedChanges {
        let review = || Reviewer::new(&self.store).review("owner", (1, 1), false).unwrap();
        ReviewedChanges::new(1, Some(review()), Some(review()))
    }

    fn panel(&self) -> ReviewPanel {
        let mut panel = ReviewPanel::of(Box::new(self.changes())).unwrap();
        picture(&mut panel, (100, 30));
        panel
    }

    /// Does what the panel asks for, as the screen does.
    fn serve(&self, panel: &mut ReviewPanel, outcome: Outcome) {
        let (Outcome::Do(request) | Outcome::CloseAnd(request)) = outcome else {
            panic!("the panel asks for nothing: {outcome:?}")
        };
        let reviewer = Reviewer::new(&self.store);
        match request {
            Request::PlanRejection(request) => {
                panel.planned(Ok(Restorer::new(&self.store).plan(&request).unwrap())).unwrap();
            }
            Request::DecideHunks(of, change) => {
                match change {
                    ReviewChange::Accept(hunks) => reviewer.accept(&of.review, &hunks).unwrap(),
                    ReviewChange::Reopen(hunks) => reviewer.reopen(&of.review, &hunks).unwrap(),
                    ReviewChange::Comment(hunk, text) => {
                        reviewer.comment(&of.review, &hunk, &text).unwrap();
                    }
                    ReviewChange::Reject(plan) => {
                        let restored = Restorer::new(&self.store).restore(&plan).unwrap();
                        reviewer.rejected(&of.review, &plan, &restored).unwrap();
                    }
                }
                panel.reviewed(self.changes());
            }
            other => panic!("{other:?}"),
        }
    }

    fn press(&self, panel: &mut ReviewPanel, key: KeyCode) -> String {
        let outcome = press(panel, key);
        self.serve(panel, outcome);
        picture(panel, (100, 30))
    }
}

fn states(panel: &ReviewPanel) -> Vec<HunkState> {
    let of = panel.decidable().unwrap();
    of.review.files.iter().flat_map(|file| &file.hunks).map(|hunk| hunk.state).collect()
}

#[test]
fn changes_are_accepted_and_reopened() {
    let (world, mut panel) = {
        let world = World::new();
        let panel = world.panel();
        (world, panel)
    };
    let shown = picture(&mut panel, (100, 30));
    assert!(shown.contains("○ open  @@ -1 +1 @@") && shown.contains("2 open"), "{shown}");
    let shown = world.press(&mut panel, KeyCode::Char('a'));
    assert!(shown.contains("✓ accepted") && shown.contains("1 open, 1 accepted"), "{shown}");
    let again = press(&mut panel, KeyCode::Char('a'));
    assert!(matches!(again, Outcome::Do(Request::Inform(_))), "{again:?}");
    let shown = world.press(&mut panel, KeyCode::Char('u'));
    assert!(shown.contains("2 open"), "{shown}");
    world.press(&mut panel, KeyCode::Char('A'));
    assert_eq!(states(&panel), [HunkState::Accepted, HunkState::Open]);
    assert!(matches!(press(&mut panel, KeyCode::Char('q')), Outcome::Close));
}

#[test]
fn a_rejection_is_previewed_and_the_agent_can_be_told() {
    let world = World::new();
    let mut panel = world.panel();
    let shown = world.press(&mut panel, KeyCode::Char('x'));
    for text in ["What rejecting does", "restore  README.md", "- new", "+ old", "change 1 file"] {
        assert!(shown.contains(text), "the preview lacks {text:?}:\n{shown}");
    }
    let early = press(&mut panel, KeyCode::Enter);
    assert!(matches!(early, Outcome::Stay), "a key that comes too early counts: {early:?}");
    press(&mut panel, KeyCode::Esc);
    assert_eq!(panel.title(), "Changes of this turn");
    world.press(&mut panel, KeyCode::Char('X'));
    std::thread::sleep(crate::panel::QUIET);
    let shown = world.press(&mut panel, KeyCode::Enter);
    assert!(shown.contains("✗ rejected") && shown.contains("1 open, 1 rejected"), "{shown}");
    assert_eq!(fs::read_to_string(&world.readme).unwrap(), "old\n");
    assert!(matches!(press(&mut panel, KeyCode::Char('q')), Outcome::Stay));
    let told = press(&mut panel, KeyCode::Enter);
    assert!(matches!(told, Outcome::CloseAnd(Request::TellDecisions(_))), "{told:?}");
}

#[test]
fn a_protected_file_is_rejected_only_after_it_is_chosen() {
    let world = World::with(|project| fs::write(project.join("AGENTS.md"), "1\n").unwrap());
    let mut panel = world.panel();
    let shown = world.press(&mut panel, KeyCode::Char('x'));
    for text in ["No file changes.", "[ ] also AGENTS.md, which is protected"] {
        assert!(shown.contains(text), "the preview lacks {text:?}:\n{shown}");
    }
    std::thread::sleep(crate::panel::QUIET);
    let shown = world.press(&mut panel, KeyCode::Enter);
    for text in ["Reject: change 1 file back", "[x] also AGENTS.md, which is protected"] {
        assert!(shown.contains(text), "the preview lacks {text:?}:\n{shown}");
    }
    assert!(matches!(press(&mut panel, KeyCode::Enter), Outcome::Stay), "a held key confirms");
    std::thread::sleep(crate::panel::QUIET);
    world.press(&mut panel, KeyCode::Enter);
    assert!(!world.readme.with_file_name("AGENTS.md").exists());
}

#[test]
fn a_comment_is_shown_below_the_state() {
    let world = World::new();
    let mut panel = world.panel();
    press(&mut panel, KeyCode::Char('c'));
    type_keys(&mut panel, "why q?");
    assert!(panel.paste(" so"));
    let shown = world.press(&mut panel, KeyCode::Enter);
    assert!(shown.contains("Comment: why q? so"), "{shown}");
    assert_eq!(states(&panel), [HunkState::Open, HunkState::Open]);
}

#[test]
fn a_plan_that_comes_after_the_person_went_on_is_dropped() {
    let world = World::new();
    let mut panel = world.panel();
    let Outcome::Do(Request::PlanRejection(request)) = press(&mut panel, KeyCode::Char('x')) else {
        panic!("no plan is asked for")
    };
    press(&mut panel, KeyCode::Esc);
    panel.planned(Ok(Restorer::new(&world.store).plan(&request).unwrap())).unwrap();
    assert_eq!(panel.title(), "Changes of this turn");
}
