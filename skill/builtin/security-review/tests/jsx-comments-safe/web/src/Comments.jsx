import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { useEffect, useRef } from 'react';

const FOOTER = '<small>Be kind.</small>';

export function Comment({ comment }) {
  const html = DOMPurify.sanitize(marked.parse(comment.body));
  return (
    <article>
      <h3>{comment.author}</h3>
      <div dangerouslySetInnerHTML={{ __html: html }} />
      <footer dangerouslySetInnerHTML={{ __html: FOOTER }} />
    </article>
  );
}

export function Banner() {
  const box = useRef(null);

  useEffect(() => {
    box.current.textContent = decodeURIComponent(window.location.hash.slice(1));
  }, []);

  return <div ref={box} className="banner" />;
}
