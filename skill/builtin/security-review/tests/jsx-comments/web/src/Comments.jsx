import { useEffect, useRef } from 'react';

export function Comment({ comment }) {
  return (
    <article>
      <h3>{comment.author}</h3>
      <div dangerouslySetInnerHTML={{ __html: comment.body }} /> {/* want medium "as html" */}
    </article>
  );
}

export function Banner() {
  const box = useRef(null);

  useEffect(() => {
    const message = decodeURIComponent(window.location.hash.slice(1));
    box.current.innerHTML = `<strong>${message}</strong>`; // want medium "html"
  }, []);

  return <div ref={box} className="banner" />;
}
