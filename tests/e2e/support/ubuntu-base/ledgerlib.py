def fields(line):
    return line.split(",")
