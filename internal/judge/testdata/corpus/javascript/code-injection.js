import vm from 'node:vm';
import express from 'express';
import ejs from 'ejs';
import Handlebars from 'handlebars';
import pug from 'pug';

const app = express();
app.use(express.json());

app.get('/calc', (req, res) => {
  // ruleid: code-injection
  res.json({ value: eval(req.query.expression) });
});

app.get('/parse', (req, res) => {
  // ok: code-injection
  res.json({ value: JSON.parse(req.query.expression) });
});

app.post('/filter', (req, res) => {
  const source = req.body.filter;
  // ruleid: code-injection
  const keep = new Function('row', 'return ' + source);
  res.json([{ id: 1 }, { id: 2 }].filter((row) => keep(row)));
});

app.post('/macro', (req, res) => {
  // ruleid: code-injection
  const result = vm.runInNewContext(req.body.macro, { sheet: {} });
  res.json({ result });
});

app.get('/constant', (_req, res) => {
  // ok: code-injection
  res.json({ value: vm.runInNewContext('1 + 1') });
});

app.post('/mail', (req, res) => {
  // ruleid: code-injection
  res.send(ejs.render(req.body.template, { user: req.user }));
});

app.post('/mail2', (req, res) => {
  // ok: code-injection
  res.send(ejs.render('<p>Hello <%= name %></p>', { name: req.body.name }));
});

app.get('/greeting', (req, res) => {
  const layout = req.query.layout;
  // ruleid: code-injection
  const template = pug.compile(`p= name\n${layout}`);
  res.send(template({ name: 'Anna' }));
});

app.get('/card', (req, res) => {
  // ok: code-injection
  const template = Handlebars.compile('<b>{{name}}</b>');
  res.send(template({ name: req.query.name }));
});

export function later(element) {
  // ok: code-injection
  setTimeout(() => element.classList.remove('fresh'), 500);
}

export function delayed() {
  const action = new URLSearchParams(location.search).get('action');
  // ruleid: code-injection
  setTimeout('run_' + action + '()', 100);
}

export function total(sheet, cell) {
  // ok: code-injection
  return sheet.eval(cell);
}

export async function puppet(page) {
  // ok: code-injection
  return page.$eval('#total', (node) => node.textContent);
}

// eval(req.query.expression) is what this module replaces.
// ok: code-injection
export const HELP = 'Formulas are not run by eval(expression) or new Function(body).';

export default app;
