"""Reading a sentence: what it does, asks, wishes, and whom and when it speaks of. Nothing else in the program reads one.

Each thing is read in one place:

- `reading.read(text, lang)`: a message as sentences, each with what it does (`act`), whether it asks (`is_question`) and
  after what (`asks`), its words and its terms, read when first asked for and kept. `asks_anything` and `only_asks` answer
  for a whole message.
- `times.find_times(text, now)`: the days that it speaks of. `values.values_in`: days, hours, counts, colours as words.
- `kinship.kin_of`: who somebody is to the speaker. `slots`: where somebody lives, what they do, how old they are.
- `preferences`: wishes that hold from now on. `note_wishes`, `forget_wishes`: what is to be noted, what forgotten.
- `introductions`: the name that somebody gives. `corrections`: what is put right. `concern`, `loss`: danger, deaths.
- `told`: what a sentence tells, as far as one can ask after it: what its verb is about, its tense, its persons and phrases
  (`told_en`, `told_ja`, `noun_phrases_ja`). `synonyms`: words that mean the same when people talk of their lives.
- `clauses`, `overview`: the questions within a question, and those that ask for an order or a sum.
- `rules`: what all of these go by, `assets/language/{ja,en}/<topic>.toml`, patterns with examples. `fits(lang, topic, name,
  text)` tries one, `first_fit` a whole file, `fits_any` and `either` both languages.
- `english`, `japanese`: a text cut into words.

`managers.language.lexicons.word_list(lang, name)` gives a list of words, such as `colours` or `relatives`; `verbs(lang)` what
each verb is about.
"""
