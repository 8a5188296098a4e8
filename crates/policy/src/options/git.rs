//! The subcommands of git.

use super::table::{AfterDashes, Table, table};

/// The tables of options that run no other program.
pub(super) const TABLES: &[Table] = &[
    table(
        "git add",
        "AnufvpN",
        "",
        AfterDashes::Words,
        "all update dry-run force verbose patch intent-to-add ignore-errors refresh renormalize",
    ),
    table(
        "git blame",
        "wlstfnepcM",
        "L",
        AfterDashes::Words,
        "date color-lines show-name show-number line-porcelain porcelain",
    ),
    table(
        "git branch",
        "avrdmlqf",
        "",
        AfterDashes::Words,
        "all remotes list show-current verbose merged no-merged contains no-contains delete move sort format \
         column no-column color no-color quiet",
    ),
    table("git checkout", "qbf", "", AfterDashes::Words, "quiet detach ours theirs track no-track"),
    table(
        "git cherry-pick",
        "nxe",
        "m",
        AfterDashes::Words,
        "no-commit abort continue quit skip mainline allow-empty keep-redundant-commits",
    ),
    table("git clean", "dfnqxX", "", AfterDashes::Words, "dry-run force quiet"),
    table(
        "git commit",
        "aqsvnp",
        "mF",
        AfterDashes::Words,
        "all quiet message file amend no-edit allow-empty allow-empty-message signoff no-verify verbose \
         dry-run author date fixup squash patch",
    ),
    table(
        "git describe",
        "",
        "",
        AfterDashes::Words,
        "tags all always dirty long abbrev match exact-match contains first-parent",
    ),
    table(
        "git diff",
        "bwpuzRW",
        "UM",
        AfterDashes::Words,
        "stat shortstat numstat name-only name-status cached staged summary color no-color word-diff unified \
         exit-code quiet check no-ext-diff no-textconv minimal patience histogram ignore-all-space \
         ignore-space-change ignore-blank-lines find-renames diff-filter relative no-index merge-base",
    ),
    table(
        "git fetch",
        "apqtvfnkP46",
        "j",
        AfterDashes::Words,
        "all prune prune-tags tags no-tags quiet verbose force dry-run depth deepen unshallow shallow-since \
         multiple progress no-progress jobs ipv4 ipv6 append",
    ),
    table(
        "git grep",
        "iwnlLcvhHEFPGqzap",
        "ABCem",
        AfterDashes::Words,
        "ignore-case word-regexp line-number files-with-matches name-only count invert-match extended-regexp \
         fixed-strings perl-regexp quiet cached untracked color no-color heading break max-depth max-count \
         context after-context before-context and or not all-match no-textconv show-function",
    ),
    table("git init", "q", "b", AfterDashes::Words, "quiet bare initial-branch object-format"),
    table(
        "git log",
        "pqzgwb",
        "nSGL",
        AfterDashes::Words,
        "oneline graph all branches tags remotes stat shortstat numstat name-only name-status patch no-patch \
         max-count skip since after until before author committer grep all-match invert-grep merges \
         no-merges first-parent reverse date date-order topo-order decorate no-decorate abbrev-commit \
         no-abbrev-commit abbrev pretty format color no-color follow left-right cherry-pick cherry-mark \
         no-ext-diff no-textconv summary relative-date unified diff-filter find-renames \
         simplify-by-decoration source full-history walk-reflogs regexp-ignore-case",
    ),
    table(
        "git ls-files",
        "cdmoiskutvz",
        "x",
        AfterDashes::Words,
        "cached deleted modified others ignored stage unmerged exclude exclude-standard full-name \
         error-unmatch abbrev deduplicate eol",
    ),
    table(
        "git merge",
        "nqv",
        "m",
        AfterDashes::Words,
        "ff no-ff ff-only squash no-squash commit no-commit edit no-edit abort continue quit stat no-stat \
         quiet verbose message allow-unrelated-histories",
    ),
    table("git mv", "fknv", "", AfterDashes::Words, "force dry-run verbose"),
    table(
        "git pull",
        "qvrnpfat46",
        "j",
        AfterDashes::Words,
        "quiet verbose rebase no-rebase ff ff-only no-ff squash no-squash commit no-commit edit no-edit all \
         prune tags no-tags depth dry-run force autostash no-autostash progress jobs stat no-stat",
    ),
    table(
        "git push",
        "fnquv46d",
        "",
        AfterDashes::Words,
        "all tags follow-tags force force-with-lease force-if-includes dry-run quiet verbose set-upstream \
         delete prune porcelain progress no-progress atomic no-verify verify mirror",
    ),
    table(
        "git rebase",
        "qvfk",
        "",
        AfterDashes::Words,
        "onto continue abort skip quit root autostash no-autostash autosquash no-autosquash quiet verbose \
         keep-base no-keep-empty fork-point no-verify stat no-stat",
    ),
    table("git remote", "v", "", AfterDashes::Words, "verbose"),
    table(
        "git reset",
        "qNp",
        "",
        AfterDashes::Words,
        "soft mixed hard merge keep quiet patch no-refresh",
    ),
    table(
        "git restore",
        "WSqp",
        "s",
        AfterDashes::Words,
        "source staged worktree quiet ours theirs patch progress no-progress",
    ),
    table(
        "git rev-parse",
        "q",
        "",
        AfterDashes::Words,
        "abbrev-ref short verify show-toplevel show-prefix show-cdup git-dir is-inside-work-tree \
         is-bare-repository symbolic-full-name all branches tags quiet absolute-git-dir git-common-dir",
    ),
    table("git rm", "frnq", "", AfterDashes::Words, "force cached dry-run quiet ignore-unmatch"),
    table("git shortlog", "nsec", "", AfterDashes::Words, "numbered summary email group"),
    table(
        "git show",
        "pqzwb",
        "",
        AfterDashes::Words,
        "stat shortstat numstat name-only name-status patch no-patch oneline pretty format abbrev-commit \
         color no-color no-ext-diff no-textconv unified quiet summary date",
    ),
    table(
        "git stash",
        "kpuaq",
        "m",
        AfterDashes::Words,
        "keep-index no-keep-index include-untracked all quiet message patch index stat staged",
    ),
    table(
        "git status",
        "sbvuz",
        "",
        AfterDashes::Words,
        "short branch show-stash porcelain long verbose untracked-files ignored renames no-renames \
         ahead-behind column no-column",
    ),
    table(
        "git switch",
        "cCdfq",
        "",
        AfterDashes::Words,
        "create force-create detach guess no-guess force discard-changes merge orphan quiet track no-track \
         progress no-progress",
    ),
    table(
        "git tag",
        "adflnv",
        "m",
        AfterDashes::Words,
        "list annotate delete force message sort contains no-contains merged no-merged points-at column \
         no-column format color",
    ),
    table(
        "git worktree",
        "bfdqv",
        "",
        AfterDashes::Words,
        "force detach checkout no-checkout dry-run verbose porcelain quiet",
    ),
];
