//! Programs that work with files, archives and addresses.

use super::table::{AfterDashes, NO_OPTIONS, Table, table};

/// Programs that run no other program, whatever their arguments. A rule for one of them covers any
/// arguments. The files among the arguments are judged separately.
pub(super) const HARMLESS: &str = "[ b2sum base32 base64 basename cat chgrp chmod chown cksum cmp comm cp cut date dd df diff dirname \
    du echo expand expr factor false fmt fold free head hexdump id join jq kill link ln ls md5sum mkdir \
    mkfifo mktemp mv nl nproc numfmt od paste pathchk pgrep pidof pkill pr printf ps pwd readlink \
    realpath rev rm rmdir seq sha1sum sha224sum sha256sum sha384sum sha512sum shuf sleep stat sum sync \
    tac tail tee test touch tr tree true truncate tsort tty uname unexpand uniq unlink uptime wc which \
    whoami xxd yes";

/// The tables of options that run no other program.
pub(super) const TABLES: &[Table] = &[
    table(
        "tar",
        "cxtrvzjJakmOSUpwh",
        "fC",
        AfterDashes::Words,
        "create extract list verbose gzip bzip2 xz zstd file directory keep-old-files keep-newer-files \
         overwrite strip-components exclude exclude-vcs no-same-owner no-same-permissions \
         preserve-permissions to-stdout wildcards anchored totals sort mtime owner group numeric-owner \
         format get",
    ),
    table(
        "sort",
        "bcCdfghiMmnrRsuVz",
        "kt",
        AfterDashes::Words,
        "reverse numeric-sort unique key field-separator ignore-case human-numeric-sort version-sort \
         general-numeric-sort month-sort random-sort stable check merge zero-terminated \
         ignore-leading-blanks dictionary-order ignore-nonprinting",
    ),
    table(
        "rsync",
        "avrlptgoDzhPncuqxHS",
        "",
        AfterDashes::Words,
        "archive verbose recursive links perms times group owner compress human-readable progress partial \
         dry-run checksum update quiet delete exclude include stats itemize-changes existing ignore-existing \
         size-only bwlimit max-size min-size delete-after delete-excluded",
    ),
    table(
        "zip",
        "0123456789DFXdfgjklmnoqruvxyei@",
        "",
        AfterDashes::Words,
        "recurse-paths quiet verbose exclude include junk-paths symlinks move update freshen",
    ),
    table("unzip", "lopqtuvnjCaLXZz", "dx", AfterDashes::Words, ""),
    table(
        "gzip",
        "cdfhklnNqrtv123456789",
        "",
        AfterDashes::Words,
        "decompress uncompress stdout to-stdout force keep list quiet recursive test verbose fast best",
    ),
    table(
        "gunzip",
        "cfhklnNqrtv",
        "",
        AfterDashes::Words,
        "stdout force keep list quiet recursive test verbose",
    ),
    table(
        "grep",
        "abcEFGPhHilLnoqrRsvwxyUzT",
        "ABCmed",
        AfterDashes::Words,
        "count ignore-case line-number color colour only-matching invert-match files-with-matches \
         files-without-match extended-regexp fixed-strings perl-regexp basic-regexp word-regexp line-regexp \
         recursive include exclude exclude-dir max-count context after-context before-context quiet silent \
         no-messages with-filename no-filename null null-data byte-offset text regexp binary-files \
         directories no-ignore-case",
    ),
    table(
        "rg",
        "abcFhiIlLnNopPqsSuUvVwx0H",
        "ABCMTdegmrt",
        AfterDashes::Words,
        "ignore-case smart-case case-sensitive line-number no-line-number files files-with-matches \
         files-without-match count count-matches only-matching invert-match word-regexp line-regexp \
         fixed-strings glob iglob type type-not type-list hidden no-ignore no-ignore-vcs max-count max-depth \
         max-columns max-filesize context after-context before-context color colors heading no-heading json \
         multiline multiline-dotall pcre2 quiet replace sort sortr stats text trim unrestricted vimgrep \
         with-filename no-filename null no-messages no-config regexp follow column no-column passthru",
    ),
    table(
        "find",
        "",
        "",
        NO_OPTIONS,
        "-name -iname -path -ipath -type -maxdepth -mindepth -not -o -or -a -and -size -mtime -mmin -ctime \
         -cmin -atime -amin -newer -empty -print -print0 -prune -regex -iregex -perm -user -group -links \
         -xdev -mount -readable -writable -executable -true -false -depth -follow -printf -ls -quit \
         -samefile -inum -wholename -regextype",
    ),
    table(
        "curl",
        "sSLfIivgjk46",
        "mHXA",
        NO_OPTIONS,
        "silent show-error location fail fail-with-body head include verbose max-time connect-timeout header \
         request compressed retry retry-delay retry-max-time ipv4 ipv6 http1.1 http2 user-agent max-redirs \
         get no-progress-meter",
    ),
    table(
        "wget",
        "qcvS46",
        "t",
        NO_OPTIONS,
        "quiet continue verbose spider server-response timeout tries max-redirect header user-agent \
         no-verbose inet4-only inet6-only",
    ),
    table("man", "kfw", "", NO_OPTIONS, ""),
    table(
        "kubectl get",
        "AwlRo",
        "no",
        NO_OPTIONS,
        "all-namespaces namespace output watch selector show-labels no-headers sort-by wide",
    ),
    table(
        "kubectl logs",
        "fp",
        "nc",
        NO_OPTIONS,
        "follow previous namespace container tail since timestamps all-containers",
    ),
    table("kubectl describe", "A", "n", NO_OPTIONS, "all-namespaces namespace selector"),
    table(
        "docker ps",
        "alnqs",
        "f",
        NO_OPTIONS,
        "all filter format last latest no-trunc quiet size",
    ),
    table("docker images", "aq", "f", NO_OPTIONS, "all digests filter format no-trunc quiet"),
    table("docker logs", "ft", "n", NO_OPTIONS, "follow tail since until timestamps details"),
    table(
        "docker compose up",
        "dV",
        "t",
        NO_OPTIONS,
        "detach build no-build no-deps force-recreate no-recreate remove-orphans wait quiet-pull pull \
         timeout",
    ),
    table("docker compose down", "v", "t", NO_OPTIONS, "volumes remove-orphans timeout"),
    table("docker compose ps", "aq", "", NO_OPTIONS, "all quiet format services filter"),
    table(
        "docker compose logs",
        "ft",
        "n",
        NO_OPTIONS,
        "follow tail since until timestamps no-color no-log-prefix",
    ),
];
