import { execSync } from 'node:child_process';
import { Router } from 'express';

export const routes = Router();

// An old fault, which the change leaves alone.
routes.get('/export/:name', (req, res) => {
  execSync(`zip -r /tmp/${req.params.name}.zip exports`);
  res.download('/tmp/export.zip');
});

routes.get('/report', (req, res) => {
  const { file } = req.query;
  res.sendFile(`/srv/reports/${file}`);
});

routes.get('/health', (req, res) => {
  res.json({ ok: true });
});

export default routes;
