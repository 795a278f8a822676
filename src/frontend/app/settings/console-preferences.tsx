import { useState } from 'react'
import { CheckField, Radios } from '../components/choices.tsx'
import { keyName } from '../components/keys.ts'
import { setSingleKeys, singleKeysAreOn } from '../shell/shortcuts.ts'
import { chooseTheme, chosenTheme, type ThemeChoice } from '../shell/theme.ts'
import { Section } from './section.tsx'

/** How the console looks and listens, in this browser alone. */
export function ConsolePreferences() {
  const [theme, setTheme] = useState<ThemeChoice>(chosenTheme)
  const [singleKeys, setKeys] = useState(singleKeysAreOn)
  return (
    <>
      <Section title="Appearance" text="Kept in this browser alone.">
        <Radios<ThemeChoice>
          legend="Theme"
          value={theme}
          options={[
            { value: 'system', label: 'As the system has it' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onChange={(choice) => {
            chooseTheme(choice)
            setTheme(choice)
          }}
        />
      </Section>
      <Section title="Keyboard" text={`${keyName('⌘K')} always opens the search.`}>
        <CheckField
          label="Single keys do things"
          hint="/ searches, N makes something new, V shows values. Off while you type, and off altogether without this."
          checked={singleKeys}
          onChange={(on) => {
            setSingleKeys(on)
            setKeys(on)
          }}
        />
      </Section>
    </>
  )
}
