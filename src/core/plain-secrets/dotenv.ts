import { type KeyValue, MOST_ENTRIES, MOST_FAULTS, requireFaultless, tooManyEntries } from './key-values.ts'

/**
 * The keys and values of a dotenv file. `export ` may stand before a key. A value in single quotes or backticks is taken
 * as it is, over several lines too; in double quotes `\n`, `\r`, `\t`, `\"`, `\\`, `\$` and `` \` `` are escapes; without
 * quotes it ends with its line, or where ` #` begins a comment. Nothing is expanded. 400 names the lines that are wrong, and
 * none of their text. Takes linear time.
 */
export function parseDotenv(file: string): KeyValue[] {
  const text = file.replace(/^\u{feff}/u, '').replaceAll('\r\n', '\n')
  const entries: KeyValue[] = []
  const faults: string[] = []
  const lines = lineCounter(text)
  for (let at = nextEntry(text, 0); at < text.length && faults.length <= MOST_FAULTS; ) {
    const line = lines(at)
    const entry = parseEntry(text, at, line)
    at = nextEntry(text, entry.end)
    if ('fault' in entry) faults.push(entry.fault)
    else entries.push({ key: entry.key, value: entry.value, line })
    if (entries.length > MOST_ENTRIES) throw tooManyEntries()
  }
  requireFaultless(faults)
  return entries
}

/**
 * An entry of a dotenv file that this program reads back, and that is safe for a shell: nothing in it is expanded or run.
 */
export const dotenvEntry = ({ key, value }: KeyValue): string => `${key}=${quoteForDotenv(value)}\n`

/**
 * Whether a dotenv file can hold an entry so that a shell takes the value as it is. The key must be the name of a variable: a
 * shell would run any other as a command. And it must not be that of a variable that shells treat specially.
 */
export const fitsDotenv = ({ key, value }: Pick<KeyValue, 'key' | 'value'>): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) &&
  !value.includes('\0') &&
  !SET_BY_SHELLS.has(key) &&
  (!EVALUATED_BY_SHELLS.has(key) || /^(?:0|[1-9]\d{0,8})$/.test(value))

/** Variables that Bash or Zsh sets itself: it refuses, forgets or cuts other values, or takes them for numbers, as below. */
const SET_BY_SHELLS: ReadonlySet<string> = new Set(
  `_ BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_CMDS BASH_COMMAND BASH_LINENO
   BASH_SOURCE BASH_SUBSHELL BASH_VERSINFO COMP_WORDBREAKS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME
   GROUPS HISTCMD LINENO PIPESTATUS PPID RANDOM SECONDS SHELLOPTS SRANDOM UID
   ARGC ARGV0 EGID GID HISTCHARS KEYBOARD_HACK TTYIDLE ZCURSES_COLORS ZCURSES_COLOR_PAIRS ZSH_EVAL_CONTEXT ZSH_SUBSHELL
   aliases argv builtins cdpath commands dirstack dis_aliases dis_builtins dis_functions dis_functions_source
   dis_galiases dis_patchars dis_reswords dis_saliases epochtime errnos fignore fpath funcfiletrace
   funcsourcetrace funcstack functions functions_source functrace galiases histchars history historywords
   jobdirs jobstates jobtexts keymaps langinfo mailpath manpath mapfile module_path modules nameddirs options
   parameters patchars path pipestatus psvar reswords saliases status sysparams termcap terminfo userdirs
   usergroups watch widgets zcurses_attrs zcurses_colors zcurses_keycodes zcurses_windows zsh_eval_context
   zsh_scheduled_events`.split(/\s+/),
)

/**
 * Variables that Bash, Zsh or mksh take for numbers: they evaluate the value, and run what stands in `a[$(…)]`, whatever the
 * quotes.
 */
const EVALUATED_BY_SHELLS: ReadonlySet<string> = new Set(
  `BAUD COLUMNS DIRSTACKSIZE ERRNO FUNCNEST HISTSIZE JOBMAX KEYTIMEOUT KSHEGID KSHGID KSHUID
   LINES LISTMAX LOGCHECK MAILCHECK OPTIND PERIOD PGRP REPORTMEMORY REPORTTIME SAVEHIST SHLVL TMOUT
   TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT USER_ID ZLE_RPROMPT_INDENT`.split(/\s+/),
)

type Fault = { fault: string; end: number }
type Entry = { key: string; value: string; end: number } | Fault

/** Where the next entry begins, behind empty lines and comments; the end of the text where there is none. */
function nextEntry(text: string, from: number): number {
  let at = endOfRun(BLANKS_AND_NEWLINES, text, from)
  while (text[at] === '#') at = endOfRun(BLANKS_AND_NEWLINES, text, lineEndAt(text, at))
  return at
}

function lineEndAt(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline === -1 ? text.length : newline
}

/** The entry that begins at a place or what is wrong with it, and where its last line ends. */
function parseEntry(text: string, start: number, line: number): Entry {
  const lineEnd = lineEndAt(text, start)
  const equals = text.indexOf('=', start)
  const wrong = (fault: string): Fault => ({ fault, end: lineEnd })
  if (equals === -1 || equals > lineEnd) return wrong(`Line ${line} is not KEY=value.`)
  const key = withoutBlanks(withoutExport(text.slice(start, equals)))
  if (key === '') return wrong(`Line ${line} has no key before its "=".`)
  const valueStart = endOfRun(BLANKS, text, equals + 1)
  const quote = text[valueStart] ?? ''
  return QUOTES.has(quote)
    ? { key, ...quotedValue(text, valueStart, quote, line) }
    : { key, value: bareValue(text.slice(equals + 1, lineEnd)), end: lineEnd }
}

const withoutExport = (key: string): string => key.replace(/^export[ \t]/, '')

const QUOTES: ReadonlySet<string> = new Set(["'", '"', '`'])

function quotedValue(
  text: string,
  start: number,
  quote: string,
  line: number,
): { value: string; end: number } | Fault {
  const close = closingQuote(text, start + 1, quote)
  if (close === -1) return { fault: `The quote that begins in line ${line} is not closed.`, end: text.length }
  const lineEnd = lineEndAt(text, close)
  const rest = withoutBlanks(text.slice(close + 1, lineEnd))
  if (rest !== '' && !rest.startsWith('#')) {
    const fault = `The value that begins in line ${line} has text behind its closing quote.`
    return { fault, end: lineEnd }
  }
  const inside = text.slice(start + 1, close)
  return { value: quote === '"' ? unescaped(inside) : inside, end: lineEnd }
}

function closingQuote(text: string, from: number, quote: string): number {
  if (quote !== '"') return text.indexOf(quote, from)
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === BACKSLASH) at++
    else if (character !== QUOTE) continue
    else if (text.charCodeAt(at + 1) === QUOTE) at++
    else return at
  }
  return -1
}

/** Two quotes end one part of a text and begin the next. */
function unescaped(text: string): string {
  let plain = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character !== BACKSLASH && character !== QUOTE) continue
    const meant = character === QUOTE ? '' : ESCAPES[text.charAt(at + 1)]
    if (meant === undefined) continue
    plain += text.slice(from, at) + meant
    at++
    from = at + 1
  }
  return plain + text.slice(from)
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  $: '$',
  '`': '`',
}

/** What stands between `=` and the end of the line, without the comment and the blanks around it. */
function bareValue(text: string): string {
  const comment = text.search(/[ \t]#/)
  return withoutBlanks(comment === -1 ? text : text.slice(0, comment))
}

/** A text without blanks around it. A regular expression would take quadratic time for blanks in the middle. */
function withoutBlanks(text: string): string {
  let end = text.length
  while (end > 0 && ' \t\r'.includes(text.charAt(end - 1))) end--
  return text.slice(Math.min(endOfRun(BLANKS, text, 0), end), end)
}

/** Where a run of such characters ends, which may be empty. A loop over the characters takes several times as long. */
function endOfRun(characters: RegExp, text: string, from: number): number {
  characters.lastIndex = from
  characters.test(text)
  return characters.lastIndex
}

// A carriage return that ends no line is a blank, too.
const BLANKS = /[ \t\r]*/y
const BLANKS_AND_NEWLINES = /[ \t\r\n]*/y

const NEWLINE = 10
const QUOTE = 34
const BACKSLASH = 92

/** Tells the number of the line of a place, asked with places that only grow. */
function lineCounter(text: string): (at: number) => number {
  let line = 1
  let seen = 0
  return (at) => {
    for (; seen < at; seen++) if (text.charCodeAt(seen) === NEWLINE) line++
    return line
  }
}

/** A value as it has to be written: in single quotes nothing has a meaning, to shells and readers of dotenv alike. */
function quoteForDotenv(value: string): string {
  if (/^[A-Za-z0-9_./:@%+,-]*$/.test(value)) return value
  if (!/['\r]/.test(value)) return `'${value}'`
  const escaped = value.replace(/[\\"$`]/g, '\\$&')
  // A shell in a locale such as zh_CN.GBK may take a backslash for the second half of a character before it that is not ASCII:
  // so these quotes end before the backslash, and begin again.
  return `"${escaped.replace(/(\P{ASCII})\\/gu, '$1""\\').replaceAll('\r', '\\r')}"`
}
