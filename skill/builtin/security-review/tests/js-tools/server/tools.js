const { execSync, spawn } = require('child_process');
const serialize = require('node-serialize');
const vm = require('vm');
const { pool } = require('./db');

module.exports = (app) => {
  app.post('/calc', (req, res) => {
    const { formula } = req.body;
    const result = vm.runInNewContext(formula, {}); // want high "run as code"
    res.json({ result });
  });

  app.get('/whois', (req, res) => {
    const command = 'whois ' + req.query.domain;
    const answer = execSync(command).toString(); // want high "run as a command"
    res.type('text/plain').send(answer);
  });

  app.get('/preview', async (req, res) => {
    const page = await fetch(req.query.url); // want high "address that the server calls"
    res.type('html').send(await page.text());
  });

  app.get('/users', async (req, res) => {
    const sql = "SELECT id, name FROM users WHERE team = '" + req.query.team + "'"; // want high "put together"
    const { rows } = await pool.query(sql); // want high "outside data"
    res.json(rows);
  });

  app.get('/cart', (req, res) => {
    const cart = serialize.unserialize(req.cookies.cart); // want high "deserialized"
    res.json(cart.items);
  });

  app.get('/greet', (req, res) => {
    const name = req.query.name;
    res.send('<h1>Welcome, ' + name + '</h1>'); // want high "without escaping"
  });
};
