'use strict';

const fs = require('fs');
const path = require('path');
const express = require('express');
const multer = require('multer');

const app = express();
const upload = multer({ dest: '/srv/incoming' });
const ROOT = '/srv/files';
const PAGES = { about: 'about.html', help: 'help.html' };

// ok: path-traversal
app.use(express.static(path.join(__dirname, 'public')));

app.get('/file', (req, res) => {
  // ruleid: path-traversal
  res.sendFile(path.join(ROOT, req.query.name));
});

app.get('/file2', (req, res) => {
  // ok: path-traversal
  res.sendFile(req.query.name, { root: ROOT });
});

app.get('/report/:name', (req, res) => {
  const name = req.params.name;
  // ruleid: path-traversal
  fs.readFile(`${ROOT}/reports/${name}`, 'utf8', (err, text) => {
    if (err) {
      return res.sendStatus(404);
    }
    return res.type('text').send(text);
  });
});

app.get('/report2/:name', (req, res) => {
  const name = path.basename(req.params.name);
  // ok: path-traversal
  fs.readFile(path.join(ROOT, 'reports', name), 'utf8', (err, text) => {
    if (err) {
      return res.sendStatus(404);
    }
    return res.type('text').send(text);
  });
});

app.get('/page', (req, res) => {
  const file = PAGES[req.query.page];
  if (!file) {
    return res.sendStatus(404);
  }
  // ok: path-traversal
  return fs.createReadStream(path.join(__dirname, 'pages', file)).pipe(res);
});

app.get('/download', (req, res) => {
  // ruleid: path-traversal
  fs.createReadStream('/srv/files/' + req.query.file).pipe(res);
});

app.delete('/upload', express.json(), (req, res) => {
  const { file } = req.body;
  // ruleid: path-traversal
  fs.unlinkSync(path.resolve(ROOT, file));
  res.sendStatus(204);
});

app.post('/upload', upload.single('photo'), (req, res) => {
  // ruleid: path-traversal
  fs.renameSync(
    req.file.path,
    path.join(ROOT, req.file.originalname),
  );
  res.sendStatus(201);
});

app.post('/upload2', upload.single('photo'), (req, res) => {
  // ok: path-traversal
  fs.renameSync(
    req.file.path,
    path.join(ROOT, path.basename(req.file.originalname)),
  );
  res.sendStatus(201);
});

app.get('/theme', (req, res) => {
  const full = path.resolve(ROOT, 'themes', req.query.theme);
  if (!full.startsWith(path.join(ROOT, 'themes') + path.sep)) {
    return res.sendStatus(403);
  }
  // ok: path-traversal
  return res.send(fs.readFileSync(full));
});

app.post('/notes', express.json(), async (req, res) => {
  // ruleid: path-traversal
  await fs.promises.writeFile('/srv/notes/' + req.body.title, req.body.text);
  res.sendStatus(201);
});

function loadConfig() {
  // ok: path-traversal
  return JSON.parse(fs.readFileSync(path.join(__dirname, '..', 'config.json'), 'utf8'));
}

module.exports = { app, loadConfig };

app.get('/style', (req, res) => {
  const theme = req.get('X-Theme') || 'light';
  const folder = path.join(ROOT, 'themes', theme);
  res.set('Cache-Control', 'max-age=60');
  // ruleid: path-traversal
  res.type('css').send(fs.readFileSync(`${folder}/style.css`));
});

app.get('/style2', (req, res) => {
  const theme = req.get('X-Theme') === 'dark' ? 'dark' : 'light';
  // ok: path-traversal
  res.type('css').send(fs.readFileSync(path.join(ROOT, 'themes', theme, 'style.css')));
});
