import { execFile } from 'node:child_process';
import path from 'node:path';
import { Router, type Request, type Response } from 'express';
import { pool } from '../db';

export const search = Router();
const COLUMNS = 'id, title';

search.get('/search', async (req: Request, res: Response) => {
  const term = String(req.query.term ?? '');
  const { rows } = await pool.query(`SELECT ${COLUMNS} FROM books WHERE title LIKE $1`, [`%${term}%`]);
  if (rows.length === 0) {
    res.status(404).json({ message: `Nothing found for ${term}` });
    return;
  }
  res.json(rows);
});

search.post('/thumbnail', (req: Request, res: Response) => {
  const file = path.basename(String(req.body.file));
  execFile('convert', [`uploads/${file}`, '-resize', '200x200', `thumbs/${file}`], (err) => {
    if (err) {
      res.status(500).end();
      return;
    }
    res.redirect('/gallery');
  });
});
