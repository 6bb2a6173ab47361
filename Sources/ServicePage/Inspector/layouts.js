// The choice of a dataset's layout for the available space.

/** The name of a layout of any width, else of the widest that fits into an element. */
export function bestLayout(layouts, room) {
  for (const [name, { container }] of layouts) {
    if (container.widths || container.heights) return name;
  }
  const rows = [...layouts].map(([name, { container, scrollDirection }]) => {
    const isAcross = scrollDirection === 'horizontal';
    const breadth = (isAcross ? container.height : container.width) ?? 0;
    return { name, breadth, limit: isAcross ? room.clientHeight : room.clientWidth };
  }).sort((a, b) => a.breadth - b.breadth);
  return (rows.findLast(({ breadth, limit }) => breadth <= limit) ?? rows[0]).name;
}

/** A default layout: a waterfall of the available width. */
export function firstLayout(room) {
  const width = Math.min(1200, room.clientWidth);
  const section = {
    kind: 'waterfall', columns: Math.max(2, Math.floor(width / 220)), columnSpacing: 8,
    lineSpacing: 8, inset: { top: 8, left: 8, bottom: 8, right: 8 }, header: 44, pinsHeader: true,
  };
  return { container: { width }, section };
}
