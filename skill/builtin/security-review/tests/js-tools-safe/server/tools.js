const { execFileSync, spawn } = require('child_process');
const escapeHtml = require('escape-html');
const { evaluate } = require('mathjs');
const { pool } = require('./db');

const FEEDS = { news: 'https://news.example.com/feed', jobs: 'https://jobs.example.com/feed' };

module.exports = (app) => {
  app.post('/calc', (req, res) => {
    // vm.runInNewContext(req.body.formula) could leave its context
    res.json({ result: evaluate(String(req.body.formula)) });
  });

  app.get('/whois', (req, res) => {
    const answer = execFileSync('whois', ['--', String(req.query.domain)]).toString();
    res.type('text/plain').send(answer);
  });

  app.get('/preview', async (req, res) => {
    const feed = FEEDS[req.query.feed];
    if (!feed) {
      return res.sendStatus(404);
    }
    const page = await fetch(feed);
    res.json(await page.json());
  });

  app.get('/users', async (req, res) => {
    const sql = 'SELECT id, name FROM users WHERE team = $1';
    const { rows } = await pool.query(sql, [req.query.team]);
    res.json(rows);
  });

  app.get('/cart', (req, res) => {
    const cart = JSON.parse(req.cookies.cart);
    res.json(cart.items);
  });

  app.get('/greet', (req, res) => {
    const name = escapeHtml(req.query.name);
    res.send('<h1>Welcome, ' + name + '</h1>');
  });

  spawn('npm', ['run', 'watch'], { stdio: 'inherit' });
};
