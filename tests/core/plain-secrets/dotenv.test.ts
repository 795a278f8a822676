// biome-ignore-all lint/suspicious/noTemplateCurlyInString: values may look like that.
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { dotenvEntry, fitsDotenv, parseDotenv } from '../../../src/core/plain-secrets/dotenv.ts'

const writeDotenv = (entries: { key: string; value: string }[]) => entries.map(dotenvEntry).join('')

const read = (text: string) => Object.fromEntries(parseDotenv(text).map(({ key, value }) => [key, value]))

describe('a dotenv file', () => {
  const cases: readonly [what: string, text: string, values: Record<string, string>][] = [
    ['a plain line', 'A=1\nB=two words\n', { A: '1', B: 'two words' }],
    ['a last line without an end', 'A=1', { A: '1' }],
    ['an empty value', 'A=\nB=""\nC=\'\'\nD= # none', { A: '', B: '', C: '', D: '' }],
    ['parts in double quotes', 'A="a""b"\nB="""c"\nC="d"""', { A: 'ab', B: 'c', C: 'd' }],
    ['blanks around key and value', '  A = 1  \n\tB\t=\t2\t', { A: '1', B: '2' }],
    ['comments', '# one\n  # two\n\nA=1 # three\nB="2" # four\nC=\'3\'#five', { A: '1', B: '2', C: '3' }],
    ['a number sign without a blank before it', 'A=a#b\nB=#c', { A: 'a#b', B: '#c' }],
    ['a number sign in quotes', 'A="a #b"\nB=\'a #b\'', { A: 'a #b', B: 'a #b' }],
    [
      'the prefix export',
      'export A=1\nexport\tB=2\nexport=3\nexported=4',
      { A: '1', B: '2', export: '3', exported: '4' },
    ],
    ['several equals signs', 'A=b=c==', { A: 'b=c==' }],
    [
      'a key of any form',
      'spring.data-source/url=x\nkey-é=y',
      { 'spring.data-source/url': 'x', 'key-é': 'y' },
    ],
    ['single quotes, in which nothing is an escape', 'A=\'a\\n$B`c`"d"\\\'', { A: 'a\\n$B`c`"d"\\' }],
    ['backticks', 'A=`it\'s "x"`', { A: 'it\'s "x"' }],
    ['escapes in double quotes', 'A="a\\nb\\r\\t\\"\\\\n\\$x\\`y\\`"', { A: 'a\nb\r\t"\\n$x`y`' }],
    ['what is no escape', 'A="\\d\\u0041\\\'"\nB=a\\nb', { A: "\\d\\u0041\\'", B: 'a\\nb' }],
    ['quotes in the middle', 'A=a"b"c\nB=it\'s', { A: 'a"b"c', B: "it's" }],
    [
      'values of several lines',
      'A="one\ntwo"\nB=\'three\n\n# four\nX=y\'\nC=`five\nsix`\nD=7',
      { A: 'one\ntwo', B: 'three\n\n# four\nX=y', C: 'five\nsix', D: '7' },
    ],
    [
      'lines that end in CR LF, also in quotes',
      '\r\nA=1\r\nB="x\r\ny"\r\n# c\r\nC=\'2\' \r\n',
      { A: '1', B: 'x\ny', C: '2' },
    ],
    ['a byte order mark', '\u{feff}A=1', { A: '1' }],
    ['nothing that is expanded', 'A=${B} $(id) `id`\nB="${A}"', { A: '${B} $(id) `id`', B: '${A}' }],
    ['any script', 'A=é日本🔐\nB="é"', { A: 'é日本🔐', B: 'é' }],
    ['a blank that is no ASCII', 'A=\u{a0}x\u{a0}', { A: '\u{a0}x\u{a0}' }],
    [
      'the names of objects',
      '__proto__=1\nconstructor=2',
      Object.fromEntries([
        ['__proto__', '1'],
        ['constructor', '2'],
      ]),
    ],
    ['nothing', '', {}],
    ['only blanks', ' \n\t\n\r\n', {}],
  ]
  for (const [what, text, values] of cases) {
    test(`may have ${what}`, () => {
      expect(read(text)).toEqual(values)
    })
  }

  test('tells in which line an entry begins', () => {
    expect(parseDotenv('A=1\n\nB="x\ny"\n# c\nC=2').map(({ key, line }) => [key, line])).toEqual([
      ['A', 1],
      ['B', 3],
      ['C', 6],
    ])
  })
})

describe('a file that is no dotenv file is refused with its line, and none of its text', () => {
  const cases: readonly [string, string][] = [
    ['A=1\nneedle', 'Line 2 is not KEY=value.'],
    [
      'needle\nA=1\n=x\nB="y" z\nC="needle',
      'Line 1 is not KEY=value. Line 3 has no key before its "=". The value that begins in line 4 has text behind its closing quote. The quote that begins in line 5 is not closed.',
    ],
    ['needle\n'.repeat(50), `${lines(20)} There are more faults behind these.`],
    ['A=1\nneedle: x\nB=2', 'Line 2 is not KEY=value.'],
    ['=needle', 'Line 1 has no key before its "=".'],
    ['export =needle', 'Line 1 has no key before its "=".'],
    ['A=1\nB="needle\nC=2\n', 'The quote that begins in line 2 is not closed.'],
    ["A='needle", 'The quote that begins in line 1 is not closed.'],
    ['A="needle\\"', 'The quote that begins in line 1 is not closed.'],
    ['A="x" needle', 'The value that begins in line 1 has text behind its closing quote.'],
    ["A='x\ny'needle", 'The value that begins in line 1 has text behind its closing quote.'],
    [
      Array.from({ length: 2001 }, (_, index) => `K${index}=x\n`).join(''),
      'The file must have at most 2,000 entries.',
    ],
  ]
  for (const [text, sentence] of cases) {
    test(sentence + JSON.stringify(text.slice(0, 20)), () => {
      expect(() => parseDotenv(text)).toThrow(expect.objectContaining({ status: 400, message: sentence }))
    })
  }
})

describe('reading any text', () => {
  test('gives entries or a refusal', () => {
    const parts = fc.constantFrom(
      'A',
      'B',
      '=',
      '"',
      "'",
      '`',
      '\n',
      '\r\n',
      '\r',
      ' ',
      '\t',
      '#',
      '\\',
      '$',
      'export ',
      '\u{feff}',
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), (all) => {
        try {
          for (const { key } of parseDotenv(all.join(''))) expect(key).not.toBe('')
        } catch (error) {
          expect(error).toMatchObject({ status: 400 })
        }
      }),
      { numRuns: 5000 },
    )
  })

  test('takes linear time', () => {
    const size = 1_000_000
    const lines = (part: string) => part.repeat(Math.floor(size / part.length))
    for (const text of [
      lines('\n'),
      lines(' '),
      lines('\r'),
      lines('"'),
      lines("='"),
      lines('\\'),
      `A="${lines('\\"')}`,
      `A=${lines(' ')}x`,
      `A=${lines(' x')}#`,
      `A='${lines('\n')}`,
      lines('#'),
      lines('export '),
      lines('A="\n"\n').slice(0, 10_000),
    ]) {
      const start = performance.now()
      try {
        parseDotenv(text)
      } catch (error) {
        expect(error).toMatchObject({ status: 400 })
      }
      expect(performance.now() - start, JSON.stringify(text.slice(0, 8))).toBeLessThan(2000)
    }
  })
})

const values = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        "'",
        '"',
        '`',
        '$',
        '\\',
        '\n',
        '\r',
        ' ',
        '#',
        '!',
        '$(',
        ')',
        '${A}',
        'n',
        '\t',
        '=',
        '&',
        ';',
        '*',
        '~',
        'é',
        '中',
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
)

describe('a written dotenv file', () => {
  test('is read as what was written', () => {
    fc.assert(
      fc.property(fc.array(values, { maxLength: 8 }), (texts) => {
        const entries = texts.map((value, index) => ({ key: `K${index}`, value }))
        expect(parseDotenv(writeDotenv(entries)).map(({ key, value }) => ({ key, value }))).toEqual(entries)
      }),
      { numRuns: 3000 },
    )
  })

  test('has no backslash with a meaning behind a character that a shell’s locale may join it to', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(writeDotenv([{ key: 'A', value: `'${value}` }])).not.toMatch(/\P{ASCII}\\[\\"$`]/u)
      }),
      { numRuns: 3000 },
    )
    expect(writeDotenv([{ key: 'A', value: "'中$(id)" }])).toBe(`A="'中""\\$(id)"\n`)
  })

  test('gives a shell the same values, and runs nothing in it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-dotenv-'))
    const marker = join(folder, 'ran')
    const tricks = [
      `$(touch ${marker})`,
      `\`touch ${marker}\``,
      `'; touch ${marker}; '`,
      `"; touch ${marker}; "`,
      `it's $(touch ${marker})`,
      `it's \`touch ${marker}\``,
      `\\'; touch ${marker} #`,
      `it's "; touch ${marker} #`,
      `it's \\"; touch ${marker} #`,
      `it's \\\\`,
      `x\n$(touch ${marker})\n'\n`,
      `~ * ? $HOME ! & | < > ; {a,b}`,
      'trailing\\',
      `it's trailing\\`,
      `it's 中$(touch ${marker})é"é\\`,
      '',
    ]
    const random = fc.sample(values, 200).filter((value) => !/[\0\r]/.test(value))
    const entries = [...tricks, ...random].map((value, index) => ({ key: `K${index}`, value }))
    const script = `. ${join(folder, 'env')}\n${entries.map(({ key }) => `printf '%s\\0' "$${key}"`).join('\n')}`
    writeFileSync(join(folder, 'env'), writeDotenv(entries))
    for (const shell of ['sh', 'bash']) {
      const process = Bun.spawn([shell, '-uc', script], { stdout: 'pipe', stderr: 'pipe' })
      const read = (await new Response(process.stdout).text()).split('\0').slice(0, -1)
      expect(await new Response(process.stderr).text()).toBe('')
      expect(read).toEqual(entries.map(({ value }) => value))
    }
    expect(existsSync(marker)).toBe(false)
    rmSync(folder, { recursive: true })
  })

  test('has only names of variables as keys', () => {
    const fits = (key: string, value = 'v') => fitsDotenv({ key, value })
    for (const key of ['A', '_a', 'a1', 'DB_URL']) expect(fits(key)).toBe(true)
    for (const key of ['', '1A', 'a.b', 'a-b', '$(id)', 'A;id', 'é', 'A B', './a', 'A\n']) {
      expect(fits(key)).toBe(false)
    }
    expect([fits('A', 'a\0b'), fits('LINES', '40'), fits('LINES', '040'), fits('LINES', 'a[1]')]).toEqual([
      false,
      true,
      false,
      false,
    ])
  })

  test.each([
    ['can’t be set', 'ARGC TTYIDLE ZSH_EVAL_CONTEXT ZSH_SUBSHELL status history pipestatus modules reswords'],
    ['say how it works', 'aliases builtins commands functions galiases options parameters widgets'],
    ['are lists of it, some of which change a variable in capitals', 'argv cdpath fpath manpath path watch'],
    ['keep a part of a value', 'HISTCHARS KEYBOARD_HACK histchars'],
    ['change who runs it, or how programs are called', 'EGID EUID GID UID ARGV0'],
    ['come with its modules', 'epochtime errnos langinfo mapfile sysparams termcap zcurses_colors'],
  ])('has no names that Zsh has for itself: those that %s', (_, names) => {
    expect(names.split(' ').filter((key) => fitsDotenv({ key, value: '1' }))).toEqual([])
  })

  test('has numbers alone for names that Zsh evaluates', () => {
    for (const key of ['BAUD', 'DIRSTACKSIZE', 'LOGCHECK', 'PERIOD', 'REPORTMEMORY', 'REPORTTIME']) {
      expect([fitsDotenv({ key, value: '40' }), fitsDotenv({ key, value: 'path[1]' })]).toEqual([true, false])
    }
  })

  test.each(['bash', 'sh'])('has no name that %s treats specially', async (shell) => {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-dotenv-'))
    const marker = join(folder, 'ran')
    const value = `PATH[$(touch ${marker})]`
    const known = Bun.spawnSync(['bash', '-c', 'compgen -v; compgen -e']).stdout.toString().trim().split('\n')
    expect(known).toEqual(
      expect.arrayContaining(['RANDOM', 'SRANDOM', 'OPTIND', 'HISTCMD', 'UID', 'SHELLOPTS', 'BASHPID']),
    )
    known.push('BASH_ALIASES', 'BASH_ARGV0', 'BASH_CMDS', 'COMP_WORDBREAKS')
    const keys = [...new Set(known)].filter((key) => fitsDotenv({ key, value }))
    expect(keys.length).toBeGreaterThan(10)
    const lost = keys.filter((key) => {
      const script = `set -a\n${writeDotenv([{ key, value }])}/usr/bin/env`
      return !Bun.spawnSync([shell, '-c', script]).stdout.toString().includes(`${key}=${value}\n`)
    })
    expect(lost).toEqual([])
    expect(existsSync(marker)).toBe(false)
    rmSync(folder, { recursive: true })
  })
})

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `Line ${index + 1} is not KEY=value.`).join(' ')
}
