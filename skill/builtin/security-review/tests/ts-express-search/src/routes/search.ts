import { exec } from 'node:child_process';
import { Router, type Request, type Response } from 'express';
import { pool } from '../db';

export const search = Router();

search.get('/search', async (req: Request, res: Response) => {
  const term = String(req.query.term ?? '');
  // want high "sql"
  const { rows } = await pool.query(`SELECT id, title FROM books WHERE title LIKE '%${term}%'`);
  if (rows.length === 0) {
    res.send(`<p>Nothing found for ${req.query.term}</p>`); // want high "without escaping"
    return;
  }
  res.json(rows);
});

search.post('/thumbnail', (req: Request, res: Response) => {
  const { file } = req.body;
  exec(`convert uploads/${file} -resize 200x200 thumbs/${file}`, (err) => { // want high "shell"
    if (err) {
      res.status(500).end();
      return;
    }
    res.redirect(req.body.returnTo); // want medium "where the user is sent"
  });
});
