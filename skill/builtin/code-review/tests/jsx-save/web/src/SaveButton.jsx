import { useState } from 'react';
import { save } from './api';

export function SaveButton({ note }) {
  const [saved, setSaved] = useState(false);

  async function onClick() {
    try {
      await save(note);
      setSaved(true);
    } catch (err) {} // want low "swallowed"
  }

  return <button onClick={onClick}>{saved ? 'Saved' : 'Save'}</button>;
}
