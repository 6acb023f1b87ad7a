package picture

import "math"

// masthead draws the name of the service, a word at the right and a double rule. It returns the place for a logo.
func (d Card) masthead(c canvas, service, right string) place {
	const most = 620
	nameplate(c, service, 66, frame{width: most, height: 60, lines: 1, leading: 1, largest: 46, smallest: 20})
	word := frame{width: Width - 2*margin - most - 40, height: 40, lines: 1, leading: 1.2, largest: 28, smallest: 16}.fit(label, 0, only(label, right))
	word.draw(c, ink2OnPaper, 66-word.height()/2, func(_, high float64) float64 { return Width - margin - high })
	c.box(inkOnPaper, 0, rule, Width, 3)
	c.box(inkOnPaper, 0, rule+6, Width, 3)
	return place{x: margin, middle: 66, width: most, height: 76}
}

// duel draws two tools face to face: their names, the winner's highlighted, their scores on rulers, and their prices.
func (d Card) duel(c canvas, service string) place {
	p := d.masthead(c, service, d.Kicker)
	const half, width = Width / 2, Width/2 - margin - 36
	title := frame{width: Width - 2*margin, height: 124, lines: 2, leading: 1.02, largest: 58, smallest: 34}.fit(display, 0, either(display, d.Title, d.Slug))
	title.draw(c, inkOnPaper, 164+(124-title.height())/2, atMargin)
	c.tint(inkOnPaper, steps/4, half, 312, 2, bottom-312)
	for i, side := range d.Duel {
		x := float64(margin + i*(half-margin+36))
		at := func(low, _ float64) float64 { return x - low }
		ink := inkOnPaper
		name := frame{width: width - 24, height: 64, lines: 1, leading: 1, largest: 58, smallest: 28, tiny: 22}.fit(display, 0, either(display, side.Name, side.Slug))
		if side.Wins && len(name.lines) > 0 {
			shape, _ := name.style.outline(name.lines[0])
			low, high := shape.bounds()
			c.box(markOnPaper, x-10, 316, math.Ceil(high.x-low.x)+20, 72)
			ink = inkOnMark
		}
		name.draw(c, ink, 320+(64-name.height())/2, at)
		if score := only(display, side.Score); score != "" {
			figure := frame{width: width, height: 112, lines: 1, leading: 1, largest: 112, smallest: 40}.fit(display, -0.015, score)
			figure.draw(c, inkOnPaper, 404, at)
			ruler(c, inkOnPaper, x, 522, width, side.Tenths)
		}
		price := frame{width: width, height: 40, lines: 1, leading: 1.2, largest: 30, smallest: 18}.fit(label, 0, only(label, side.Price))
		price.draw(c, ink2OnPaper, 556, at)
	}
	return p
}

// ranking draws a title and the first tools of a ranking, the very first highlighted.
func (d Card) ranking(c canvas, service string) place {
	p := d.masthead(c, service, d.Kicker)
	const height = 92
	rows := d.Rows[:min(len(d.Rows), maxRows)]
	first := float64(bottom - 12 - height*len(rows))
	title := frame{width: Width - 2*margin, height: first - top - 24, lines: 2, leading: 1, largest: 112, smallest: 44, tiny: 28}.fit(display, 0, either(display, d.Title, d.Slug))
	title.draw(c, inkOnPaper, top+(first-top-title.height())/2, atMargin)
	for i, row := range rows {
		y := first + float64(i*height)
		c.tint(inkOnPaper, steps/4, margin, y, Width-2*margin, 2)
		score := frame{width: 180, height: height, lines: 1, leading: 1, largest: 60, smallest: 30}.fit(display, -0.015, only(display, row.Score))
		score.draw(c, inkOnPaper, y+(height-score.height())/2, func(_, high float64) float64 { return Width - margin - high })
		name := frame{width: Width - 2*margin - 240, height: height, lines: 1, leading: 1, largest: 52, smallest: 28, tiny: 22}.fit(display, 0, either(display, row.Name, row.Slug))
		if len(name.lines) == 0 {
			continue
		}
		ink := inkOnPaper
		if i == 0 {
			shape, _ := name.style.outline(name.lines[0])
			low, high := shape.bounds()
			c.box(markOnPaper, margin-10, y+14, math.Ceil(high.x-low.x)+20, height-28)
			ink = inkOnMark
		}
		name.draw(c, ink, y+(height-name.height())/2, atMargin)
	}
	return p
}

// curve draws a title, a figure with what it is, and how it moved.
func (d Card) curve(c canvas, service string) place {
	p := d.masthead(c, service, d.Kicker)
	title := frame{width: 600, height: 200, lines: 3, leading: 1, largest: 68, smallest: 34}.fit(display, 0, only(display, d.Title))
	title.draw(c, inkOnPaper, 172, atMargin)
	line := frame{width: 560, height: 80, lines: 2, leading: 1.2, largest: 34, smallest: 22}.fit(italic, 0, only(italic, d.Line))
	line.draw(c, inkOnPaper, 184+title.height(), atMargin)
	right := func(_, high float64) float64 { return Width - margin - high }
	figure := frame{width: 420, height: 130, lines: 1, leading: 1, largest: 130, smallest: 50}.fit(display, -0.015, only(display, d.Figure))
	figure.draw(c, inkOnPaper, 160, right)
	under := frame{width: 420, height: 40, lines: 1, leading: 1.2, largest: 28, smallest: 18}.fit(label, 0, only(label, d.OutOf))
	under.draw(c, ink2OnPaper, 296, right)
	d.line(c, margin, 400, Width-2*margin, bottom-400)
	return p
}

// line draws the Curve as a line above a rule, from 0 upwards.
func (d Card) line(c canvas, x, y, width, height float64) {
	const thick = 7
	c.box(inkOnPaper, x, y+height-2, width, 3)
	high := 1
	for _, v := range d.Curve {
		high = max(high, v)
	}
	at := func(i int) point {
		return point{x + float64(i)/float64(max(1, len(d.Curve)-1))*width, y + height - float64(max(0, d.Curve[i]))/float64(high)*(height-thick)}
	}
	for i := range d.Curve[:max(0, len(d.Curve)-1)] {
		a, b := at(i), at(i+1)
		a.x, b.x = a.x-1, b.x+1 // no gap between two pieces
		c.fill(inkOnPaper, quad(point{a.x, a.y - thick/2}, point{b.x, b.y - thick/2}, point{b.x, b.y + thick/2}, point{a.x, a.y + thick/2}))
	}
}
