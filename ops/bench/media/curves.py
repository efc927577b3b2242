"""Compares ladders by their curves: VMAF over bit rate, as straight lines between the renditions."""
import math

STEPS = 50


def envelope(points):
    """Returns the (kbit/s, VMAF) of the renditions worth choosing, by rate: each is better than all cheaper ones."""
    best = []
    for rate, quality in sorted(points):
        if not best or quality > best[-1][1]:
            best.append((rate, quality))
    return best


def log_rate(curve, quality):
    """Returns the logarithm of the rate at which a curve reaches a quality."""
    for (low_rate, low), (high_rate, high) in zip(curve, curve[1:]):
        if low <= quality <= high:
            share = (quality - low) / (high - low)
            return math.log(low_rate) * (1 - share) + math.log(high_rate) * share
    return math.log(curve[-1][0] if quality >= curve[-1][1] else curve[0][0])


def bits_at_equal_quality(ours, other):
    """Returns how many bits one ladder needs relative to another, on average over the qualities that both reach."""
    ours, other = envelope(ours), envelope(other)
    low, high = max(ours[0][1], other[0][1]), min(ours[-1][1], other[-1][1])
    qualities = [low + (high - low) * step / STEPS for step in range(STEPS + 1)]
    return math.exp(sum(log_rate(ours, quality) - log_rate(other, quality) for quality in qualities) / len(qualities))
