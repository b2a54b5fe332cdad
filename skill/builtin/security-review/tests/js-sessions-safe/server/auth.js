const crypto = require('crypto');
const https = require('https');
const jwt = require('jsonwebtoken');
const session = require('express-session');

const ORIGINS = new Set(['https://shop.example.com', 'https://admin.example.com']);

function install(app, config) {
  app.use(session({ resave: false, saveUninitialized: false, secret: config.sessionSecret }));

  app.post('/forgot', async (req, res) => {
    const resetToken = crypto.randomBytes(32).toString('base64url');
    await app.locals.mailer.sendReset(req.body.email, resetToken);
    setTimeout(() => res.sendStatus(202), 200 + Math.random() * 300);
  });

  app.get('/me', (req, res) => {
    const claims = jwt.verify(req.cookies.token, config.publicKey, { algorithms: ['RS256'] });
    if (ORIGINS.has(req.headers.origin)) {
      const allowed = req.headers.origin;
      res.setHeader('Access-Control-Allow-Origin', allowed);
    }
    res.json({ id: claims.sub });
  });
}

function seal(key, text) {
  const iv = crypto.randomBytes(12);
  const cipher = crypto.createCipheriv('aes-256-gcm', key, iv);
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: true });

module.exports = { install, seal, agent };
