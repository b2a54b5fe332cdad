import DOMPurify from 'dompurify';
import escapeHtml from 'escape-html';
import type { Request, Response } from 'express';
import React from 'react';

export function hello(req: Request, res: Response): void {
  // ruleid: xss
  res.send('<h1>Hello ' + req.query.name + '</h1>');
}

export function helloSafe(req: Request, res: Response): void {
  // ok: xss
  res.send('<h1>Hello ' + escapeHtml(String(req.query.name)) + '</h1>');
}

export function api(req: Request, res: Response): void {
  // ok: xss
  res.json({ name: req.query.name });
}

export function search(req: Request, res: Response): void {
  const q = req.query.q;
  res.type('html');
  // ruleid: xss
  res.write(`<p>Nothing found for ${q}</p>`);
  res.end();
}

export function banner(): void {
  const campaign = new URLSearchParams(window.location.search).get('campaign') ?? '';
  // ruleid: xss
  document.getElementById('banner')!.innerHTML = campaign;
}

export function bannerSafe(): void {
  const campaign = new URLSearchParams(window.location.search).get('campaign') ?? '';
  // ok: xss
  document.getElementById('banner')!.textContent = campaign;
}

export function clear(list: HTMLElement): void {
  // ok: xss
  list.innerHTML = '';
}

export function spinner(box: HTMLElement): void {
  // ok: xss
  box.innerHTML = '<span class="spinner" role="status"></span>';
}

export function legacy(): void {
  // ruleid: xss
  document.write('<a href="' + location.hash.slice(1) + '">back</a>');
}

export function toast(box: HTMLElement): void {
  window.addEventListener('message', (event) => {
    // ruleid: xss
    box.insertAdjacentHTML('beforeend', '<li>' + event.data.text + '</li>');
  });
}

export function Comment(props: { body: string }): React.ReactElement {
  return (
    <div
      className="comment"
      // ruleid: xss
      dangerouslySetInnerHTML={{ __html: props.body }}
    />
  );
}

export function CommentClean(props: { body: string }): React.ReactElement {
  return (
    <div
      className="comment"
      // ok: xss
      dangerouslySetInnerHTML={{ __html: DOMPurify.sanitize(props.body) }}
    />
  );
}

export function Name(props: { name: string }): React.ReactElement {
  // ok: xss
  return <b title={props.name}>{props.name}</b>;
}

export function welcome(req: Request, res: Response): void {
  const nick = req.cookies.nick;
  if (!nick) {
    res.redirect('/login');
    return;
  }
  const page = '<p>Welcome back, ' + nick + '</p>';
  res.type('html');
  // ruleid: xss
  res.end(page);
}

export function pages(req: Request, res: Response): void {
  const count = Number(req.query.pages);
  // ok: xss
  res.send(`<b>${count} pages</b>`);
}
