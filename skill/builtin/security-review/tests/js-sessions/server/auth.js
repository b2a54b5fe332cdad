const crypto = require('crypto');
const https = require('https');
const jwt = require('jsonwebtoken');
const session = require('express-session');

function install(app) {
  app.use(session({ resave: false, saveUninitialized: false, secret: 'keyboard cat' })); // want high "key of tokens"

  app.post('/forgot', async (req, res) => {
    const resetToken = Math.random().toString(36).slice(2); // want high "predictable"
    await app.locals.mailer.sendReset(req.body.email, resetToken);
    res.sendStatus(202);
  });

  app.get('/me', (req, res) => {
    // want high "without a signature"
    const claims = jwt.verify(req.cookies.token, app.locals.publicKey, { algorithms: ['RS256', 'none'] });
    res.setHeader('Access-Control-Allow-Origin', req.headers.origin); // want medium "every origin"
    res.setHeader('Access-Control-Allow-Credentials', 'true');
    res.json({ id: claims.sub });
  });
}

function seal(key, text) {
  const cipher = crypto.createCipheriv('aes-256-ecb', key, null); // want medium "cipher or mode"
  return cipher.update(text, 'utf8', 'hex') + cipher.final('hex');
}

const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false }); // want high "not verified"

module.exports = { install, seal, agent };
