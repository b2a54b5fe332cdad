'use strict';

const express = require('express');
const serialize = require('node-serialize');
const { unserialize } = require('node-serialize');
const funcster = require('funcster');
const serializeJs = require('serialize-javascript');
const cryo = require('cryo');
const yaml = require('js-yaml');
const v8 = require('v8');

const app = express();
app.use(express.text({ type: '*/*' }));

app.get('/profile', (req, res) => {
  const cookie = Buffer.from(req.cookies.profile, 'base64').toString();
  // ruleid: deserialization
  const profile = serialize.unserialize(cookie);
  res.send(profile.name);
});

app.get('/profile2', (req, res) => {
  const cookie = Buffer.from(req.cookies.profile, 'base64').toString();
  // ok: deserialization
  const profile = JSON.parse(cookie);
  res.send(profile.name);
});

app.post('/cart', (req, res) => {
  // ruleid: deserialization
  res.json(unserialize(req.body));
});

app.post('/task', (req, res) => {
  // ruleid: deserialization
  const task = funcster.deepDeserialize(JSON.parse(req.body));
  res.json({ done: task.run() });
});

app.post('/graph', (req, res) => {
  const body = req.body;
  // ruleid: deserialization
  const graph = cryo.parse(body);
  res.json({ nodes: graph.nodes.length });
});

app.post('/settings', (req, res) => {
  // ok: deserialization
  res.json(yaml.load(req.body, { schema: yaml.JSON_SCHEMA }));
});

app.post('/settings2', (req, res) => {
  // ruleid: deserialization
  const settings = yaml.load(req.body, {
    schema: require('js-yaml-js-types').all,
  });
  res.json(settings);
});

app.get('/state.js', (req, res) => {
  // ok: deserialization
  res.type('js').send('window.STATE = ' + serializeJs({ user: req.user }, { isJSON: true }));
});

function snapshot(state) {
  // ok: deserialization
  return v8.serialize(state);
}

function copy(state) {
  // ok: deserialization
  return v8.deserialize(v8.serialize(state));
}

function fields(form) {
  // ok: deserialization
  return Object.fromEntries(new FormData(form));
}

module.exports = { app, snapshot, copy, fields };
