import { useState } from 'react';
import { save, prefetch } from './api';

export function SaveButton({ note }) {
  const [state, setState] = useState('Save');

  async function onClick() {
    try {
      await save(note);
      setState('Saved');
    } catch (err) {
      setState(`Not saved: ${err.message}`);
    }
    try {
      prefetch(note.id);
    } catch (ignored) {}
  }

  return <button onClick={onClick}>{state}</button>;
}
