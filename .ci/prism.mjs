// Sends requests to Prism, and reports those that violate the description. It is
// run by .ci/prism:
//
//   node prism.mjs <node_modules> <host> <description> <requests.jsonl> <least operations> <quiet>
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const [modules, host, description, file, operations, quiet] = process.argv.slice(2)
const startTimeout = 120_000 // ms: it reads 13 MB
const requestTimeout = 30_000

class Undecided extends Error {}

// Requests that must be refused: a judge that lets them pass does not judge.
const broken = {
  github: [
    ['a body without a property that is required', 'POST', '/repos/o/r/check-runs', { head_sha: 'x' }],
    ['a value that does not exist', 'POST', '/repos/o/r/pulls/7/reviews', { event: 'APPLAUD' }],
    ['a property of the wrong type', 'PATCH', '/repos/o/r/issues/comments/7', { body: 7 }],
    ['a path parameter of the wrong type', 'PATCH', '/repos/o/r/issues/comments/x', { body: 'x' }],
    ['a query parameter of the wrong type', 'GET', '/repos/o/r/pulls/7/comments?page=x'],
    ['a path that does not exist', 'GET', '/repos/o/r/nonsense'],
    ['a method that does not exist', 'PUT', '/repos/o/r/pulls/7/reviews', {}],
  ],
  gitlab: [
    ['a body without a property that is required', 'POST', '/api/v4/projects/7/statuses/x', { name: 'x' }],
    ['a value that does not exist', 'POST', '/api/v4/projects/7/statuses/x', { state: 'neutral' }],
    ['a property of the wrong type', 'POST', '/api/v4/projects/7/statuses/x', { state: 'success', pipeline_id: 'x' }],
    ['a path parameter of the wrong type', 'GET', '/api/v4/projects/7/merge_requests/x/diffs'],
    ['a query parameter of the wrong type', 'GET', '/api/v4/projects/7/merge_requests/7/diffs?page=x'],
    ['a path that does not exist', 'GET', '/api/v4/nonsense'],
    ['a method that does not exist', 'PUT', '/api/v4/projects/7/statuses/x', {}],
  ],
}[host].map(([name, method, path, body]) => ({ name, method, path, body, accept: host === 'github' ? 'application/vnd.github+json' : 'application/json' }))

function version(name) {
  return JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version
}

// start runs the server on a port that the system chooses, and returns its address.
async function start(description) {
  const server = spawn(process.execPath, [
    join(modules, '@stoplight/prism-cli/dist/index.js'), 'mock', '--host', '127.0.0.1', '--port', '0', description,
  ], { stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = () => server.kill('SIGKILL') // it keeps nothing
  process.on('exit', stop)
  for (const [signal, number] of [['SIGHUP', 1], ['SIGINT', 2], ['SIGTERM', 15]]) {
    process.on(signal, () => process.exit(128 + number))
  }
  const tail = []
  return new Promise((resolve, reject) => {
    const fail = (text) => reject(new Undecided([`Prism ${text}`, ...tail].join('\n')))
    const timer = setTimeout(() => fail(`is not ready after ${startTimeout / 1000} s`), startTimeout)
    const look = (line) => {
      tail.push(line)
      tail.splice(0, tail.length - 5)
      const ready = /Prism is listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)
      if (ready) {
        clearTimeout(timer)
        resolve(ready[1])
      }
    }
    createInterface({ input: server.stdout }).on('line', look)
    createInterface({ input: server.stderr }).on('line', look)
    server.on('error', (err) => fail(`did not start: ${err.message}`))
    server.on('exit', (code) => fail(`ended with ${code}`))
  })
}

// judge returns what is wrong with a request. Without --errors, Prism answers a
// request that is right even where the example in the description is not; what it
// thinks of its own answers is no matter here.
async function judge(address, request) {
  const headers = { accept: request.accept, authorization: 'Bearer x', 'private-token': 'x' }
  let body
  if (request.body !== undefined) {
    headers['content-type'] = 'application/json'
    body = JSON.stringify(request.body)
  }
  const answer = await fetch(address + request.path, {
    method: request.method, headers, body, redirect: 'manual', signal: AbortSignal.timeout(requestTimeout),
  })
  const text = await answer.text()
  const violations = JSON.parse(answer.headers.get('sl-violations') ?? '[]')
    .filter((v) => v.location[0] === 'request')
    .map((v) => `${v.location.join('.')}: ${v.message}`)
  if (violations.length === 0 && !answer.ok) {
    violations.push(`status ${answer.status}: ${text.slice(0, 1000)}`)
  }
  return violations
}

// operation returns the operation of the description that a request is for.
function operation(paths, request) {
  const segments = request.path.split('?')[0].split('/')
  const fits = (template) => {
    const parts = template.split('/')
    return parts.length === segments.length && parts.every((p, i) => p === segments[i] || (p.startsWith('{') && segments[i] !== ''))
  }
  // A literal path comes before one with parameters.
  const found = Object.keys(paths).filter(fits).sort((a, b) => a.split('{').length - b.split('{').length)[0]
  return paths[found]?.[request.method.toLowerCase()]?.operationId
}

async function main() {
  const all = readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line))
  const text = readFileSync(description, 'utf8')
  const { paths } = description.endsWith('.json') ? JSON.parse(text) : createRequire(join(modules, '/'))('js-yaml').load(text)
  // Not every version describes all operations of GitLab: the others follow the pages of
  // its API, as the tests say.
  const requests = host === 'gitlab' ? all.filter((r) => operation(paths, r)) : all
  const left = [...new Set(all.filter((r) => !requests.includes(r)).map((r) => `${r.method} ${r.path.split('?')[0]}`))]
  if (left.length > 0) {
    console.log(`not in the description:\n  ${left.join('\n  ')}`)
  }
  const known = new Set(requests.map((r) => operation(paths, r)).filter(Boolean))
  if (known.size < Number(operations) || known.size === 0) {
    throw new Undecided(`the client calls ${operations} operations, and the tests only ${known.size}: ${[...known].sort().join(', ')}`)
  }

  const address = await start(description)
  for (const request of broken) {
    if ((await judge(address, request)).length === 0) {
      throw new Undecided(`Prism does not judge: it lets ${request.name} pass`)
    }
  }
  let refused = 0
  for (const request of requests) {
    const violations = await judge(address, request)
    const name = `${request.method} ${request.path} (${operation(paths, request) ?? 'unknown'})`
    if (violations.length > 0) {
      refused++
      console.error(`refused ${name}\n  ${violations.join('\n  ')}\n  ${JSON.stringify(request.body)?.slice(0, 500) ?? 'no body'}`)
    } else if (!quiet) {
      console.log(`ok      ${name}`)
    }
  }
  console.log(`${requests.length - refused} of ${requests.length} requests, ${known.size} operations, pass the description ` +
    `of ${host} (${host === 'github' ? `@octokit/openapi ${version('@octokit/openapi')}, ` : ''}@stoplight/prism-cli ${version('@stoplight/prism-cli')})`)
  return refused > 0 ? 1 : 0
}

main().then((code) => process.exit(code), (err) => {
  console.error(err instanceof Undecided ? `.ci/prism: ${err.message}` : err)
  process.exit(2)
})
