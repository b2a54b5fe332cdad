'use strict';

const express = require('express');
const mysql = require('mysql2/promise');
const { Pool } = require('pg');
const { Sequelize, QueryTypes } = require('sequelize');

const router = express.Router();
const pool = new Pool();
const db = mysql.createPool({ host: 'localhost', database: 'shop' });
const sequelize = new Sequelize('sqlite::memory:');

const COLUMNS = 'id, name, price';

router.get('/products', async (req, res) => {
  // ruleid: sql-injection
  const { rows } = await pool.query("SELECT * FROM products WHERE category = '" + req.query.category + "'");
  res.json(rows);
});

router.get('/products/all', async (req, res) => {
  // ok: sql-injection
  const { rows } = await pool.query('SELECT ' + COLUMNS + ' FROM products ORDER BY name');
  res.json(rows);
});

router.get('/products/:id', async (req, res) => {
  const { id } = req.params;
  // ruleid: sql-injection
  const [rows] = await db.query(`SELECT ${COLUMNS} FROM products WHERE id = ${id}`);
  res.json(rows[0]);
});

router.get('/products/:id/stock', async (req, res) => {
  // ok: sql-injection
  const [rows] = await db.query('SELECT stock FROM products WHERE id = ?', [req.params.id]);
  res.json(rows[0]);
});

router.delete('/products/:id', async (req, res) => {
  const id = req.params.id;
  if (!id) {
    return res.sendStatus(400);
  }
  // ruleid: sql-injection
  await db.execute(
    'DELETE FROM products WHERE id = ' + id,
  );
  // ok: sql-injection
  console.log(`DELETE FROM products done for ${id}`);
  return res.sendStatus(204);
});

router.put('/products/:id', async (req, res) => {
  // ok: sql-injection
  await pool.query({
    text: 'UPDATE products SET name = $1 WHERE id = $2',
    values: [req.body.name, req.params.id],
  });
  res.sendStatus(204);
});

async function byName(name) {
  // ruleid: sql-injection
  return sequelize.query(`SELECT * FROM products WHERE name LIKE '%${name}%'`, { type: QueryTypes.SELECT });
}

async function byNameBound(name) {
  // ok: sql-injection
  return sequelize.query("SELECT * FROM products WHERE name LIKE :name AND kind LIKE '%toy%'", {
    replacements: { name: `%${name}%` },
    type: QueryTypes.SELECT,
  });
}

async function byIds(ids) {
  const marks = ids.map(() => '?').join(', ');
  // ok: sql-injection
  return db.execute(`SELECT ${COLUMNS} FROM products WHERE id IN (${marks})`, ids);
}

function sorted(req, connection, done) {
  // ruleid: sql-injection
  connection.query('SELECT id, name FROM products ORDER BY ' + req.query.sort, done);
}

function knexRaw(knex, req) {
  const brand = req.body.brand;
  // ruleid: sql-injection
  return knex.raw("select * from products where brand = '" + brand + "'");
}

// Not pool.query("… '" + brand + "'"): the brand is bound.
function knexBound(knex, req) {
  // ok: sql-injection
  return knex.raw('select * from products where brand = ?', [req.body.brand]);
}

module.exports = { router, byName, byNameBound, byIds, sorted, knexRaw, knexBound };

router.get('/export', async (req, res) => {
  const { since, format = 'csv' } = req.query;
  if (!['csv', 'json'].includes(format)) {
    res.sendStatus(400);
    return;
  }
  const where = `created > '${since}'`;
  // ruleid: sql-injection
  const { rows } = await pool.query('SELECT id, name FROM products WHERE ' + where);
  res.type(format).send(rows);
});

router.get('/page', async (req, res) => {
  const page = Number.parseInt(req.query.page, 10) || 0;
  // ok: sql-injection
  const [rows] = await db.query('SELECT id, name FROM products LIMIT 20 OFFSET ' + page * 20);
  res.json(rows);
});
