//! Programs that build, test and check.

use super::table::{AfterDashes, NO_OPTIONS, Table, table};

/// The options that most cargo subcommands accept, and further ones.
macro_rules! of_cargo {
    ($($more:literal)?) => {
        concat!(
            "package workspace all exclude lib bin bins example examples test tests bench benches all-targets \
             release profile features all-features no-default-features target locked offline frozen verbose \
             quiet color message-format jobs keep-going ignore-rust-version timings",
            $(" ", $more)?
        )
    };
}

/// The options of Rust test binaries.
const LIBTEST: AfterDashes = AfterDashes::Program {
    flags: "q",
    valued: "",
    long: "nocapture no-capture show-output ignored include-ignored exact list skip test-threads quiet format color test bench report-time",
};

/// Options that the common JavaScript test runners, linters and compilers share.
const SCRIPTS: AfterDashes = AfterDashes::Program {
    flags: "ut",
    valued: "t",
    long: "coverage run watch watchAll silent verbose bail runInBand testNamePattern testPathPattern updateSnapshot passWithNoTests fix check noEmit no-color colors",
};

/// The tables of options that run no other program.
pub(super) const TABLES: &[Table] = &[
    table("cargo bench", "qvr", "pFj", LIBTEST, of_cargo!("no-run no-fail-fast")),
    table("cargo build", "qvr", "pFj", NO_OPTIONS, of_cargo!()),
    table("cargo check", "qvr", "pFj", NO_OPTIONS, of_cargo!()),
    table(
        "cargo clean",
        "qvrn",
        "p",
        NO_OPTIONS,
        "package release profile target doc dry-run quiet verbose color locked offline frozen",
    ),
    table(
        "cargo clippy",
        "qvr",
        "pFj",
        AfterDashes::Program { flags: "", valued: "DWAF", long: "" },
        of_cargo!("no-deps"),
    ),
    table("cargo doc", "qvr", "pFj", NO_OPTIONS, of_cargo!("no-deps document-private-items")),
    table(
        "cargo fmt",
        "qv",
        "p",
        AfterDashes::Program { flags: "", valued: "", long: "check" },
        "all check package quiet verbose message-format",
    ),
    table(
        "cargo metadata",
        "qv",
        "F",
        NO_OPTIONS,
        "no-deps format-version features all-features no-default-features locked offline frozen quiet \
         verbose color filter-platform",
    ),
    table(
        "cargo nextest",
        "qvr",
        "pFjE",
        AfterDashes::Program {
            flags: "q",
            valued: "",
            long: "exact ignored include-ignored nocapture skip",
        },
        of_cargo!(
            "no-run no-fail-fast fail-fast no-capture nocapture test-threads retries status-level final-status-level run-ignored partition"
        ),
    ),
    table("cargo run", "qvr", "pFj", NO_OPTIONS, of_cargo!()),
    table("cargo test", "qvr", "pFj", LIBTEST, of_cargo!("doc no-run no-fail-fast")),
    table(
        "cargo tree",
        "qvedi",
        "pF",
        NO_OPTIONS,
        "package workspace all exclude invert depth prefix no-dedupe duplicates features all-features \
         no-default-features edges charset target locked offline frozen quiet verbose color prune",
    ),
    table(
        "cargo update",
        "qvn",
        "p",
        NO_OPTIONS,
        "package precise recursive aggressive workspace dry-run locked offline quiet verbose color",
    ),
    table(
        "npm audit",
        "",
        "",
        NO_OPTIONS,
        "json omit include production audit-level workspace workspaces",
    ),
    table(
        "npm ci",
        "s",
        "w",
        NO_OPTIONS,
        "silent ignore-scripts no-audit no-fund omit include offline prefer-offline workspace workspaces \
         no-progress",
    ),
    table(
        "npm install",
        "DEOPSs",
        "w",
        NO_OPTIONS,
        "save save-dev save-exact save-optional save-prod no-save silent ignore-scripts no-audit no-fund \
         omit include offline prefer-offline workspace workspaces no-progress legacy-peer-deps \
         package-lock-only dry-run",
    ),
    table(
        "npm ls",
        "al",
        "w",
        NO_OPTIONS,
        "all depth json long parseable omit include workspace workspaces",
    ),
    table("npm outdated", "al", "w", NO_OPTIONS, "all json long parseable workspace workspaces"),
    table(
        "npm run",
        "s",
        "w",
        SCRIPTS,
        "silent if-present workspace workspaces include-workspace-root",
    ),
    table(
        "npm test",
        "s",
        "w",
        SCRIPTS,
        "silent if-present workspace workspaces include-workspace-root",
    ),
    table(
        "pnpm install",
        "DEOPs",
        "",
        NO_OPTIONS,
        "silent frozen-lockfile no-frozen-lockfile offline prefer-offline ignore-scripts save-dev save-exact \
         save-prod lockfile-only",
    ),
    table("pnpm run", "rs", "", SCRIPTS, "recursive silent if-present"),
    table("pnpm test", "rs", "", SCRIPTS, "recursive silent if-present"),
    table(
        "yarn install",
        "s",
        "",
        NO_OPTIONS,
        "silent frozen-lockfile immutable offline prefer-offline ignore-scripts non-interactive",
    ),
    table("yarn run", "s", "", NO_OPTIONS, "silent"),
    table("yarn test", "s", "", NO_OPTIONS, "silent"),
    table(
        "pip install",
        "Uqv",
        "r",
        NO_OPTIONS,
        "upgrade quiet verbose requirement user no-deps pre dry-run no-cache-dir disable-pip-version-check \
         no-input force-reinstall ignore-installed only-binary",
    ),
    table(
        "pip list",
        "oqv",
        "",
        NO_OPTIONS,
        "outdated uptodate editable local user format not-required quiet verbose",
    ),
    table("pip show", "fqv", "", NO_OPTIONS, "files quiet verbose"),
    table(
        "pip3 install",
        "Uqv",
        "r",
        NO_OPTIONS,
        "upgrade quiet verbose requirement user no-deps pre dry-run no-cache-dir disable-pip-version-check \
         no-input force-reinstall ignore-installed only-binary",
    ),
    table(
        "pip3 list",
        "oqv",
        "",
        NO_OPTIONS,
        "outdated uptodate editable local user format not-required quiet verbose",
    ),
    table("pip3 show", "fqv", "", NO_OPTIONS, "files quiet verbose"),
    table(
        "go build",
        "",
        "",
        NO_OPTIONS,
        "-a -asan -msan -race -v -x -n -p -trimpath -tags -buildvcs -json -mod",
    ),
    table(
        "go list",
        "",
        "",
        NO_OPTIONS,
        "-a -asan -msan -race -v -x -n -p -trimpath -tags -buildvcs -json -mod -deps -test -find -u -m",
    ),
    table(
        "go test",
        "",
        "",
        NO_OPTIONS,
        "-a -asan -msan -race -v -x -n -p -trimpath -tags -buildvcs -json -mod -bench -benchmem -benchtime \
         -blockprofilerate -count -cover -covermode -coverpkg -cpu -failfast -fullpath -list -parallel -run \
         -short -shuffle -skip -timeout -fuzz -fuzztime",
    ),
    table(
        "go vet",
        "",
        "",
        NO_OPTIONS,
        "-a -asan -msan -race -v -x -n -p -trimpath -tags -buildvcs -json -mod",
    ),
    table("go fmt", "", "", NO_OPTIONS, "-n -x"),
    table("go mod", "", "", NO_OPTIONS, "-v -x -json -e"),
    table(
        "make",
        "bBeiknqrRsStw",
        "j",
        NO_OPTIONS,
        "always-make silent quiet keep-going no-keep-going dry-run just-print recon question print-directory \
         no-print-directory jobs output-sync no-builtin-rules no-builtin-variables ignore-errors touch trace \
         version help warn-undefined-variables",
    ),
    table(
        "gmake",
        "bBeiknqrRsStw",
        "j",
        NO_OPTIONS,
        "always-make silent quiet keep-going no-keep-going dry-run just-print recon question print-directory \
         no-print-directory jobs output-sync no-builtin-rules no-builtin-variables ignore-errors touch trace \
         version help warn-undefined-variables",
    ),
    table(
        "pytest",
        "qvxsl",
        "kmn",
        NO_OPTIONS,
        "verbose quiet exitfirst maxfail tb lf last-failed ff failed-first sw stepwise durations no-header \
         no-summary collect-only co capture showlocals strict-markers markers fixtures color nf new-first \
         cov cov-report",
    ),
    table(
        "tsc",
        "",
        "",
        NO_OPTIONS,
        "noEmit watch pretty strict skipLibCheck listFiles showConfig version help",
    ),
    table("prettier", "clw", "", NO_OPTIONS, "check list-different write no-color log-level"),
    table("eslint", "", "", NO_OPTIONS, "fix quiet cache max-warnings color no-color ext"),
    table(
        "ruff",
        "qvsn",
        "",
        NO_OPTIONS,
        "fix diff select ignore extend-select quiet verbose silent no-cache show-fixes statistics \
         output-format exit-zero check no-fix preview unsafe-fixes",
    ),
    table(
        "mypy",
        "v",
        "m",
        NO_OPTIONS,
        "strict verbose pretty no-error-summary ignore-missing-imports show-error-codes no-incremental \
         module package",
    ),
    table(
        "black",
        "qvSC",
        "l",
        NO_OPTIONS,
        "check diff color no-color fast safe quiet verbose line-length target-version preview \
         skip-string-normalization",
    ),
    table("rustfmt", "lqv", "", NO_OPTIONS, "check edition emit color quiet verbose"),
    table("gofmt", "dlsw", "", NO_OPTIONS, "-d -l -s -w"),
    table("rustc", "vV", "", NO_OPTIONS, "version verbose explain"),
    table(
        "jest",
        "biuwt",
        "t",
        NO_OPTIONS,
        "bail coverage runInBand silent verbose watch watchAll testNamePattern testPathPattern \
         updateSnapshot passWithNoTests onlyChanged no-color colors ci maxWorkers",
    ),
    table(
        "vitest",
        "tu",
        "t",
        NO_OPTIONS,
        "run watch coverage silent update testNamePattern bail passWithNoTests no-color",
    ),
];
