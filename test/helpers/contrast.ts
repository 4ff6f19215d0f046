/**
 * Script for a page: the lowest WCAG contrast ratio between the text of a visible element and its background.
 */
export const LOWEST_CONTRAST = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = channels(getComputedStyle(e).backgroundColor);
      if (color[3] !== 0) return color;
    }
    return [255, 255, 255];
  };
  const selector = 'h1, h2, h3, h4, h5, p, li, .tick, .lane-name, label, legend, output, button, input, select, summary, dt, dd, td, th, footer';
  const texts = [...document.querySelectorAll(selector)];
  return Math.min(...texts.map((element) => {
    const [a, b] = [channels(getComputedStyle(element).color), behind(element)].map(luminance);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }));
})()`;
